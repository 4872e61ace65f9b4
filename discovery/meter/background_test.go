package meter_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBackgroundResponsesCountOnce(t *testing.T) {
	t.Parallel()
	const ready = `{"id":"resp_1","background":true,"status":"completed","model":"gpt-4o","usage":{"input_tokens":1000,"output_tokens":500,"total_tokens":1500}}`
	bodies := map[string]string{
		"/v1/responses":        `{"id":"resp_1","background":true,"status":"queued","model":"gpt-4o","usage":null}`,
		"/v1/responses/resp_1": ready,
		"/v1/responses/resp_2": strings.ReplaceAll(ready, `"background":true`, `"background":false`),
		"/v1/responses/resp_3": `{"id":"resp_3","background":true,"status":"in_progress","model":"gpt-4o","usage":null}`,
	}
	url, m, records := metered(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, bodies[r.URL.Path]) })
	postAll(t, m, url+"/v1/responses", `{"model":"gpt-4o","background":true}`)
	for _, id := range []string{"resp_3", "resp_1", "resp_1", "resp_2"} {
		res, err := m.Client().Get(url + "/v1/responses/" + id)
		require.NoError(t, err)
		_, _ = io.ReadAll(res.Body)
		res.Body.Close()
	}
	require.Len(t, records.all(), 1)
	assert.Equal(t, "resp_1", records.all()[0].ID)
	assert.Equal(t, chatUSD, m.Spent().USD)
}

package meter_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

func TestStreamUsageIsRequested(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ path, body, want string }{
		"stream":            {"/v1/chat/completions", ` {"model":"m","stream":true}`, ` {"stream_options":{"include_usage":true},"model":"m","stream":true}`},
		"no stream":         {"/v1/chat/completions", `{"model":"m"}`, `{"model":"m"}`},
		"other options":     {"/v1/chat/completions", `{"stream":true,"user":"stream_options","stream_options": {"include_obfuscation":false}}`, `{"stream":true,"user":"stream_options","stream_options": {"include_usage":true,"include_obfuscation":false}}`},
		"empty options":     {"/v1/chat/completions", `{"stream":true,"stream_options":{ }}`, `{"stream":true,"stream_options":{"include_usage":true}}`},
		"null options":      {"/v1/chat/completions", `{"stream":true,"stream_options":null}`, `{"stream":true,"stream_options":{"include_usage":true}}`},
		"given":             {"/v1/chat/completions", `{"stream":true,"stream_options":{"include_usage":false}}`, `{"stream":true,"stream_options":{"include_usage":false}}`},
		"not JSON":          {"/v1/chat/completions", `stream`, `stream`},
		"another API":       {"/v1/responses", `{"stream":true}`, `{"stream":true}`},
		"nothing at all":    {"/v1/chat/completions", ``, ``},
		"a list of streams": {"/v1/chat/completions", `[{"stream":true}]`, `[{"stream":true}]`},
	} {
		var got []byte
		var length int64
		url, m, _ := metered(t, func(w http.ResponseWriter, r *http.Request) {
			got, _ = io.ReadAll(r.Body)
			length = r.ContentLength
			_, _ = io.WriteString(w, chatAnswer)
		}, meter.WithStreamUsage())
		postAll(t, m, url+c.path, c.body)
		assert.Equal(t, c.want, string(got), name)
		assert.EqualValues(t, len(c.want), length, name)
		if json.Valid([]byte(c.body)) {
			assert.True(t, json.Valid(got), name)
		}
	}
}

func TestRequestsAreSentAsTheyAre(t *testing.T) {
	t.Parallel()
	var got *http.Request
	url, m, _ := metered(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Clone(t.Context())
		answer(chatAnswer)(w, r)
	})
	res, err := post(t.Context(), m.Client(), url+"/v1/chat/completions?a=b", chat)
	require.NoError(t, err)
	res.Body.Close()
	assert.Equal(t, "a=b", got.URL.RawQuery)
	assert.EqualValues(t, len(chat), got.ContentLength)
	assert.Equal(t, "Bearer sk-secret", got.Header.Get("Authorization"))
	assert.Empty(t, got.Header.Get("Content-Type"))
}

package meter_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRecordsHaveTheAttempt(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, value string
		want        int
	}{
		{"X-Stainless-Retry-Count", "0", 1},
		{"X-Stainless-Retry-Count", "2", 3},
		{"X-Stainless-Retry-Count", "-1", 0},
		{"X-Stainless-Retry-Count", "two", 0},
		{"X-Stainless-Retry-Count", "99999999999999999999", 0},
		{"Amz-Sdk-Request", "attempt=1; max=3", 1},
		{"Amz-Sdk-Request", "ttl=20261123T010203Z;attempt=2;  max=3", 2},
		{"Amz-Sdk-Request", "max=3", 0},
		{"Amz-Sdk-Request", "attempt=", 0},
		{"Amz-Sdk-Request", "attempt=70000", 0},
		{"X-Other", "1", 0},
	} {
		url, m, records := metered(t, answer(chatAnswer))
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/chat/completions", strings.NewReader(chat))
		require.NoError(t, err)
		req.Header.Set(row.name, row.value)
		res, err := m.Client().Do(req)
		require.NoError(t, err)
		_, err = io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Len(t, records.all(), 1)
		assert.Equal(t, row.want, records.all()[0].Attempt, "%s: %s", row.name, row.value)
	}
}

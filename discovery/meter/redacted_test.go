// These tests check that credentials in requests and responses reach no record.

package meter_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program may have its key in the path, and a provider may repeat it anywhere.
func TestRecordsHaveNoCredential(t *testing.T) {
	t.Parallel()
	key := "sk-" + strings.Repeat("Ab1", 16)
	for name, body := range map[string]string{
		"model":    `{"id":"c","model":"KEY","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}}`,
		"id":       `{"id":"KEY","model":"gpt-4o","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}}`,
		"count":    `{"id":"c","model":"gpt-4o","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500,"KEY_tokens":5}}`,
		"text":     `{"id":"c","model":"gpt-4o","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500,"note":"KEY"}}`,
		"tier":     `{"id":"c","model":"gpt-4o","choices":[],"service_tier":"KEY","usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}}`,
		"provider": `{"id":"c","model":"gpt-4o","provider":"KEY","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500,"cost":0.1}}`,
	} {
		url, m, records := metered(t, func(w http.ResponseWriter, r *http.Request) { answer(strings.ReplaceAll(body, "KEY", key))(w, r) })
		res, err := post(t.Context(), m.Client(), url+"/"+key+"/v1/chat/completions", `{"model":"`+key+`"}`)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, res.Body)
		require.NoError(t, err)
		res.Body.Close()
		all := records.all()
		require.Len(t, all, 1, name)
		text, err := json.Marshal(all)
		require.NoError(t, err)
		assert.NotContains(t, string(text), key, name)
		assert.Contains(t, string(text), "/[REDACTED:openai-api-key]/v1/chat/completions")
	}
}

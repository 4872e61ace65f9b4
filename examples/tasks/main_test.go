package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

// gateway answers a claim with the task of spec, and records the requests.
func gateway(t *testing.T, spec string) (*client.MeshClient, *[]string) {
	t.Helper()
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.URL.Path+" "+string(body))
		if r.URL.Path == "/tasks/claim" {
			_, _ = io.WriteString(w, `{"task":`+spec+`}`)
			return
		}
		_, _ = io.WriteString(w, `{}`)
	}))
	t.Cleanup(server.Close)
	c, err := client.New("node-a", client.WithGatewayURL(server.URL))
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c, &got
}

func TestTaskIsCompleted(t *testing.T) {
	t.Parallel()
	c, got := gateway(t, `{"id":7,"task_id":"example-1","spec_json":{"text":"hello"}}`)
	require.NoError(t, run(t.Context(), c))
	assert.Equal(t, []string{
		`POST /tasks {"task_id":"example-1","category":"example","spec_json":{"text":"hello"},"added_by":"node-a"}`,
		`POST /tasks/claim {"claimed_by":"node-a","category":"example"}`,
		`POST /tasks/7/complete {"output_path":"/tmp/example-1","cost_actual_usd":0.10}`,
	}, *got)
}

func TestTaskThatCannotSucceedIsNotRetryable(t *testing.T) {
	t.Parallel()
	c, got := gateway(t, `{"id":7,"task_id":"example-1","spec_json":[]}`)
	require.NoError(t, run(t.Context(), c))
	assert.Regexp(t, `POST /tasks/7/fail \{"error":".*","retryable":false\}`, (*got)[2])
}

func TestNoTaskIsNoError(t *testing.T) {
	t.Parallel()
	c, got := gateway(t, `null`)
	require.NoError(t, run(t.Context(), c))
	assert.Len(t, *got, 2)
}

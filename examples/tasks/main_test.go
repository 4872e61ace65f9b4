package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

// recorded returns a gateway's recorded response, by the exchange's name.
func recorded(t *testing.T, name string) (status int, body string) {
	t.Helper()
	text, err := os.ReadFile("testdata/exchanges.jsonl")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		var exchange struct {
			Name     string
			Response struct {
				Status int
				Body   json.RawMessage
			}
		}
		require.NoError(t, json.Unmarshal([]byte(line), &exchange))
		if exchange.Name == name {
			return exchange.Response.Status, string(exchange.Response.Body)
		}
	}
	require.Fail(t, "not recorded", name)
	return 0, ""
}

// gateway answers each path with a recorded exchange, and keeps the requests it gets.
func gateway(t *testing.T, exchanges map[string]string) (*client.MeshClient, *[]string) {
	t.Helper()
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.URL.Path+" "+string(body))
		status, answer := recorded(t, exchanges[r.URL.Path])
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	c, err := client.New("node-b", client.WithGatewayURL(server.URL))
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c, &got
}

var taskID = regexp.MustCompile(`example-[A-Z2-7]+`)

func TestTaskIsCompleted(t *testing.T) {
	t.Parallel()
	c, got := gateway(t, map[string]string{"/tasks": "create", "/tasks/claim": "claim", "/tasks/1/complete": "complete"})
	require.NoError(t, run(t.Context(), c))
	require.NoError(t, run(t.Context(), c))
	first := taskID.FindString((*got)[0])
	assert.NotEmpty(t, first)
	assert.NotEqual(t, first, taskID.FindString((*got)[3]), "a gateway refuses an id that it knows")
	(*got)[0] = taskID.ReplaceAllString((*got)[0], "example-1")
	assert.Equal(t, []string{
		`POST /tasks {"task_id":"example-1","category":"debug","spec_json":{"text":"hello"},"added_by":"node-b"}`,
		`POST /tasks/claim {"claimed_by":"node-b","category":"debug"}`,
		`POST /tasks/1/complete {"output_path":"/tmp/t-1","cost_actual_usd":0.10}`,
	}, (*got)[:3])
}

func TestTaskThatCannotSucceedIsNotRetryable(t *testing.T) {
	t.Parallel()
	c, got := gateway(t, map[string]string{"/tasks/2/fail": "fail_retryable_false"})
	_, err := work(Task{PK: 2, Spec: json.RawMessage(`[]`)})
	require.Error(t, err)
	require.NoError(t, fail(t.Context(), c, Task{PK: 2}, err))
	assert.Regexp(t, `POST /tasks/2/fail \{"error":".*","retryable":false\}`, (*got)[0])
}

func TestNoTaskIsNoError(t *testing.T) {
	t.Parallel()
	c, got := gateway(t, map[string]string{"/tasks": "create", "/tasks/claim": "claim_none"})
	require.NoError(t, run(t.Context(), c))
	assert.Len(t, *got, 2)
}

// An unknown category, an existing task, and a node that may not claim.
func TestGatewayRefuses(t *testing.T) {
	t.Parallel()
	for exchange, reason := range map[string]string{
		"task_create_wrong_category": "category must be one of", "create_again": "already exists", "claim_unratified": "can_claim_tasks=false",
	} {
		c, _ := gateway(t, map[string]string{"/tasks": exchange})
		err := add(t.Context(), c, TaskCreateRequest{TaskID: "t-1"})
		assert.ErrorContains(t, err, reason)
		assert.NotContains(t, err.Error(), "check the token", exchange)
	}
}

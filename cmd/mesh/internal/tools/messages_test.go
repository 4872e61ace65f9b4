package tools_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	message = `{"id":7,"from_node":"node-b","to_node":"node-a","kind":"fyi","content":"hello","created_at":"2026-11-21T07:54:15+00:00"}`
	invalid = `{"id":9,"from_node":"node-b","to_node":"node-a","kind":"fyi","content":["canary"],"created_at":""}`
	thread  = `{"thread_uuid":"3f0f8a53-0000-4000-8000-000000000000","thread_name":"n","peer_pair":"","topic":"","created_at":"","last_used_at":""}`
)

// mixed answers every list with a valid row and an invalid one.
func mixed(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/peers":
		_, _ = io.WriteString(w, `[{"name":"node-b"},{"name":"canary","last_seen":7}]`)
	case r.URL.Path == "/threads":
		_, _ = io.WriteString(w, `{"threads":[{"thread_uuid":"canary"},`+thread+`]}`)
	case strings.HasPrefix(r.URL.Path, "/threads/"):
		_, _ = io.WriteString(w, `{"thread":`+thread+`,"messages":[`+invalid+`,`+message+`]}`)
	default:
		_, _ = io.WriteString(w, `[`+invalid+`,`+message+`]`)
	}
}

func TestToolsShowTheRowsBesideInvalidOnes(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string][]string{
		"mesh_inbox":   {`"id":7`, `"invalid":"invalid messages left out: 1, ids [9]"`},
		"mesh_wait":    {`"id":7`},
		"mesh_thread":  {`"id":7`, `"invalid":"invalid messages left out: 1, ids [9]"`},
		"mesh_peers":   {`"node-b"`, `"invalid":"invalid rows left out: 1"`},
		"mesh_threads": {`"id":"3f0f8a53`, `"invalid":"invalid rows left out: 1"`},
	} {
		synctest.Test(t, func(t *testing.T) {
			arguments := map[string]any{}
			if tool == "mesh_thread" {
				arguments["id"] = "3f0f8a53-0000-4000-8000-000000000000"
			}
			text, failed := call(t, mixed, &mcp.CallToolParams{Name: tool, Arguments: arguments}, nil)
			assert.False(t, failed, text)
			for _, part := range want {
				assert.Contains(t, text, part, tool)
			}
			assert.NotContains(t, text, "canary", tool)
		})
	}
}

func TestWaitGoesOnBesideAnInvalidMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		text, failed := wait(t, func(w http.ResponseWriter, _ *http.Request) {
			if time.Since(begin) < 10*time.Second {
				_, _ = io.WriteString(w, `[`+invalid+`]`)
				return
			}
			_, _ = io.WriteString(w, `[`+invalid+`,`+message+`]`)
		}, 30, nil)
		assert.False(t, failed, text)
		assert.Contains(t, text, `"id":7`)
	})
}

// A request may take longer than the wait.
func TestShortWaitAtASlowGateway(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{`[]`: `"messages":[]`, `[` + message + `]`: `"id":7`} {
		synctest.Test(t, func(t *testing.T) {
			text, failed := wait(t, func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(2 * time.Second)
				_, _ = io.WriteString(w, answer)
			}, 1, nil)
			assert.False(t, failed, text)
			assert.Contains(t, text, want)
		})
	}
}

// several is a gateway that responds differently for each node. It keeps the bodies it
// gets.
func several(posted *[]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `[{"name":"node-b"},{"name":"node-c"},{"name":"node-d"},{"name":"node-e"}]`)
			return
		}
		body, _ := io.ReadAll(r.Body)
		*posted = append(*posted, string(body))
		switch text := string(body); {
		case strings.Contains(text, `"to_node":"node-c"`):
			w.WriteHeader(http.StatusUnprocessableEntity)
		case strings.Contains(text, `"to_node":"node-d"`):
			w.WriteHeader(http.StatusInternalServerError)
		case strings.Contains(text, `"to_node":"node-e"`):
			_, _ = io.WriteString(w, `{"id":8,"kind":7}`)
		default:
			_, _ = io.WriteString(w, message)
		}
	}
}

func TestAMessageToSeveralNodesHasAResultForEach(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var posted []string
		arguments := map[string]any{"to": []string{"node-b", "node-c", "node-d", "node-e"}, "kind": "fyi", "content": "x", "key": "k-1"}
		text, failed := call(t, several(&posted), &mcp.CallToolParams{Name: "mesh_send", Arguments: arguments}, nil)
		assert.False(t, failed, text)
		var got struct {
			Results []struct {
				To, Sent, Error string
				ID              int
			}
		}
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		require.Len(t, got.Results, 4)
		for i, want := range []struct{ to, sent, err string }{
			{"node-b", "yes", ""},
			{"node-c", "no", "422"},
			{"node-d", "maybe", "may have been delivered"},
			{"node-e", "yes", "was delivered, do not send it again"},
		} {
			assert.Equal(t, want.to, got.Results[i].To)
			assert.Equal(t, want.sent, got.Results[i].Sent, want.to)
			assert.Contains(t, got.Results[i].Error, want.err)
			assert.Contains(t, posted[i], `"idempotency_key":"k-1-`+want.to+`"`, "each message needs its own key")
		}
		assert.Equal(t, 7, got.Results[0].ID)
	})
}

func TestAMessageToSeveralNodesIsCheckedBeforeTheFirstSend(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]map[string]any{
		`nothing was sent: "node-x" is not registered`:  {"to": []string{"node-b", "node-x"}},
		"nothing was sent: the message contains a cred": {"content": "x ghp_" + strings.Repeat("aB3x", 9)},
		"nothing was sent: the name of the thread con":  {"thread": "ghp_" + strings.Repeat("aB3x", 9)},
		"to must not contain a node twice: node-b":      {"to": []string{"node-b", "node-c", "node-b"}},
		"to must be the name of a node, or a list":      {"to": []string{}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var posted []string
			arguments := map[string]any{"to": []string{"node-b", "node-c"}, "kind": "fyi", "content": "x", "thread": "new"}
			maps.Copy(arguments, change)
			text, failed := call(t, several(&posted), &mcp.CallToolParams{Name: "mesh_send", Arguments: arguments}, nil)
			assert.True(t, failed)
			assert.Contains(t, text, want)
			assert.Empty(t, posted, want)
		})
	}
}

package tools_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
)

const (
	message = `{"id":7,"from_node":"node-b","to_node":"node-a","kind":"fyi","content":"hello","created_at":"2026-11-21T07:54:15+00:00"}`
	invalid = `{"id":9,"from_node":"node-b","to_node":"node-a","kind":"fyi","content":["canary"],"created_at":""}`
	thread  = `{"thread_uuid":"3f0f8a53-0000-4000-8000-000000000000","thread_name":"n","peer_pair":"","topic":"","created_at":"","last_used_at":""}`
)

// mixed answers every list with a row that can be decoded and one that cannot.
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

// TestShortWaitAtASlowGateway checks that the limit of a request is not that of the wait.
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

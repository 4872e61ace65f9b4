package tools_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
)

// The error for an argument with 700,000 characters stays below 2,100.
func TestErrorsDoNotRepeatArguments(t *testing.T) {
	t.Parallel()
	canary := strings.Repeat("canary ", 30_000)
	for name, row := range map[string]struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		"a key":     {"mesh_send", map[string]any{"to": "node-b", "kind": "fyi", "content": "x", canary: "x"}, "a name of 210000 bytes is not an argument of mesh_send, which also takes thread, key, allow_rules"},
		"a value":   {"mesh_send", map[string]any{"to": "node-b", "kind": canary, "content": "x"}, "kind must be one of fyi question answer status unblock"},
		"a type":    {"mesh_mark_read", map[string]any{"id": canary}, "id must be an integer of at least 1"},
		"a rule":    {"mesh_send", map[string]any{"to": "node-b", "kind": "fyi", "content": "x", "allow_rules": []int{2}}, "allow_rules must be a list; each item must be one of 10 12"},
		"a synonym": {"mesh_ask", map[string]any{"to": "node-b", "text": "x"}, "text is not an argument of mesh_ask; did you mean content?"},
		"a thread":  {"mesh_thread", map[string]any{"id": canary}, ""},
		"a model":   {"model_retirement", map[string]any{"model": canary}, "unknown provider for"},
		"a content": {"mesh_send", map[string]any{"to": "node-b", "kind": "fyi", "content": canary}, "content must be a string of 1 to 200000 characters"},
	} {
		synctest.Test(t, func(t *testing.T) {
			text, failed := call(t, inbox, &mcp.CallToolParams{Name: row.tool, Arguments: row.arguments}, nil)
			assert.True(t, failed, name)
			text = text[:min(len(text), 3000)]
			assert.NotContains(t, text, "canary canary", name)
			assert.Contains(t, text, row.want, name)
			assert.Less(t, len(text), 2100, name)
		})
	}
}

func TestAUsedKeyGetsAdvice(t *testing.T) {
	t.Parallel()
	gateway := func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `[{"name":"node-b"}]`)
			return
		}
		http.Error(w, "conflict", http.StatusConflict)
	}
	synctest.Test(t, func(t *testing.T) {
		text, failed := call(t, gateway, &mcp.CallToolParams{
			Name: "mesh_send", Arguments: map[string]any{"to": "node-b", "kind": "fyi", "content": "x", "key": "k-1"},
		}, nil)
		assert.True(t, failed)
		assert.Contains(t, text, "conflict; the key belongs to another message, so use a new one")
	})
}

// A commit id before the word flaws matches rule 10.
func TestARefusalOfAHeuristicRuleExplainsHowToAllowIt(t *testing.T) {
	t.Parallel()
	const commit = "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"
	var sent []string
	gateway := func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `[{"name":"node-b"}]`)
			return
		}
		body, _ := io.ReadAll(r.Body)
		sent = append(sent, string(body))
		_, _ = io.WriteString(w, message)
	}
	for _, arguments := range []map[string]any{
		{"to": "node-b", "kind": "fyi", "content": "Commit " + commit + " has flaws.", "key": "k-1"},
		{"to": "node-b", "kind": "fyi", "content": "Commit " + commit + " has flaws.", "key": "k-1", "allow_rules": []int{10}},
	} {
		synctest.Test(t, func(t *testing.T) {
			text, failed := call(t, gateway, &mcp.CallToolParams{Name: "mesh_send", Arguments: arguments}, nil)
			if arguments["allow_rules"] != nil {
				assert.False(t, failed, text)
				return
			}
			assert.True(t, failed)
			assert.NotContains(t, text, commit[:8])
			for _, part := range []string{"aws-secret-key (rule 10) at bytes 7-47", `the text "aws" follows, in the word "flaws"`, "allow_rules [10]"} {
				assert.Contains(t, text, part)
			}
		})
	}
	assert.Len(t, sent, 1)
	assert.Contains(t, sent[0], `"idempotency_key":"k-1"`)
}

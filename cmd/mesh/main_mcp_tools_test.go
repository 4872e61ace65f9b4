package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func TestToolsRefuse(t *testing.T) {
	t.Parallel()
	a := newAgent(t, newGatewayForTest(t))
	for name, test := range map[string]struct {
		tool      string
		arguments arguments
		want      string
	}{
		"a credential":      {"mesh_send", arguments{"to": "node-b", "kind": "fyi", "content": "x " + gatewayToken}, "live-gateway-token"},
		"an extended rule":  {"mesh_send", arguments{"to": "node-b", "kind": "fyi", "content": extendedKey}, "rule 109"},
		"an unknown node":   {"mesh_send", arguments{"to": "node-x", "kind": "fyi", "content": "x"}, `"node-x" is not registered`},
		"an unknown kind":   {"mesh_send", arguments{"to": "node-b", "kind": "ask", "content": "x"}, "kind must be one of fyi question answer status unblock"},
		"a missing content": {"mesh_send", arguments{"to": "node-b", "kind": "fyi"}, "mesh_send needs content"},
		"too many messages": {"mesh_inbox", arguments{"limit": 1001}, "limit must be an integer from 1 to 1000"},
		"too long a wait":   {"mesh_wait", arguments{"seconds": 61}, "seconds must be an integer from 1 to 60"},
		"a mistyped name":   {"mesh_inbox", arguments{"unred": true}, "unred is not an argument of mesh_inbox; did you mean unread?"},
		"an unknown id":     {"mesh_reply", arguments{"id": 99, "content": "x"}, "message 99 is not in the inbox of this node"},
		"an unknown read":   {"mesh_mark_read", arguments{"id": 99}, "message 99 is not in the inbox of this node"},
		"a key as a thread": {"mesh_send", arguments{"to": "node-b", "kind": "fyi", "content": "x", "thread": gatewayToken}, "the name of the thread contains a credential"},
		"an unknown thread": {"mesh_thread", arguments{"id": "00000000-0000-0000-0000-000000000000"}, "no thread 00000000-0000-0000-0000-000000000000; mesh_threads lists the threads"},
		"a thread to send":  {"mesh_send", arguments{"to": "node-b", "kind": "fyi", "content": "x", "thread": "00000000-0000-0000-0000-000000000000"}, "no thread 00000000-0000-0000-0000-000000000000; mesh_threads lists the threads"},
		"an unknown model":  {"model_price", arguments{"model": "no-such-model"}, "unknown provider for"},
		"no usage object":   {"call_cost", arguments{"model": "gpt-5.2", "usage": arguments{}}, "usage"},
		"an unknown day":    {"call_cost", arguments{"model": "gpt-5.2", "usage": arguments{}, "at": "today"}, "must be like"},
		"a provider":        {"models", arguments{"provider": "nobody"}, "provider must be one of openai deepseek anthropic gemini xai"},
	} {
		t.Run(name, func(t *testing.T) {
			_, failure := a.call(test.tool, test.arguments)
			assert.Contains(t, failure, test.want)
		})
	}
}

func TestToolsWithBasicRules(t *testing.T) {
	t.Parallel()
	a := newAgentWith(t, command(t, newGatewayForTest(t), "mcp", "--node", "node-a", "--rules", "basic"))
	a.must("mesh_send", arguments{"to": "node-b", "kind": "fyi", "content": extendedKey})
}

func TestToolsAdviseOnAWrongToken(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t)
	a := newAgent(t, g)
	g.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Status: http.StatusUnauthorized})
	_, failure := a.call("mesh_peers", nil)
	assert.Contains(t, failure, "status 401")
	assert.Contains(t, failure, " (check MESH_GATEWAY_TOKEN or --token-file; mesh whoami shows which is used)")
}

func TestToolsForModels(t *testing.T) {
	t.Parallel()
	a := newAgent(t, newGatewayForTest(t))
	assert.Greater(t, len(a.must("models", nil)["models"].([]any)), 50)
	model := a.must("models", arguments{"id": "gpt-4o"})["models"].([]any)[0].(map[string]any)
	assert.Equal(t, "openai/gpt-4o", model["id"])
	assert.InDelta(t, 128000, model["context_length"], 0)
	assert.Empty(t, a.must("models", arguments{"id": "no-such-model"})["models"])

	price := a.must("model_price", arguments{"model": "gpt-5.2"})["prices"].([]any)[0].(map[string]any)
	assert.InDelta(t, 1.75, price["input_per_mtok"], 0)
	assert.Contains(t, price, "cache_write_5m_per_mtok")
	assert.Nil(t, price["cache_write_5m_per_mtok"], "not known, not free")
	assert.NotContains(t, price, "sku_id")
	for model, want := range map[string]string{
		"gpt5.2":            "gpt5.2 is not in the price list; did you mean gpt-5.2",
		"opus":              "did you mean claude-opus-5-5, claude-opus-5 or claude-opus-4-8?",
		"gpt-99":            "gpt-99 is not in the price list",
		"claude-unheard-of": "claude-unheard-of is not in the price list",
	} {
		_, failure := a.call("model_price", arguments{"model": model})
		assert.Contains(t, failure, want)
	}
	_, failure := a.call("model_price", arguments{"model": "gpt-99"})
	assert.NotContains(t, failure, "did you mean")

	usage := arguments{
		"input_tokens": 8000, "input_tokens_details": arguments{"cached_tokens": 0},
		"output_tokens": 100, "output_tokens_details": arguments{"reasoning_tokens": 0}, "total_tokens": 8100,
	}
	cost := a.must("call_cost", arguments{"model": "gpt-5.2", "usage": usage, "at": "2026-11-21T12:00:00Z"})
	assert.Equal(t, map[string]any{"known": true, "usd": "0.0154"}, cost)
	cost = a.must("call_cost", arguments{"model": "gpt-no-such-model", "usage": usage})
	assert.Equal(t, false, cost["known"])
	assert.Contains(t, cost["reason"], "has no price in the list")

	retired := a.must("model_retirement", arguments{"model": "o1-mini"})
	assert.Equal(t, "retired", retired["state"])
	assert.Equal(t, "2025-10-27", retired["date"])

	found := a.must("scan_text", arguments{"text": "a " + gatewayToken + " b"})["findings"].([]any)
	require.Len(t, found, 1)
	assert.InDelta(t, 2, found[0].(map[string]any)["start"], 0)
}

func TestToolsUseOwnPrices(t *testing.T) {
	t.Parallel()
	start := func(file string) *mcpAgent {
		cmd := command(t, newGatewayForTest(t), "mcp", "--node", "node-a")
		cmd.Env = append(cmd.Env, newProviders(t), "MESH_PRICES="+file)
		return newAgentWith(t, cmd)
	}
	a := start(ownPrices(t, "groq,llama-3.3-70b,0.5,1", "openai,gpt-5.2,2,4"))
	price := a.must("model_price", arguments{"model": "llama-3.3-70b"})["prices"].([]any)[0].(map[string]any)
	assert.InDelta(t, 0.5, price["input_per_mtok"], 0)
	assert.Contains(t, a.must("model_price", arguments{"model": "llama-3.3-70b", "provider": "Groq"}), "prices")
	usage := arguments{"prompt_tokens": 1000000, "completion_tokens": 1000000, "total_tokens": 2000000}
	assert.Equal(t, "1.5", a.must("call_cost", arguments{"model": "llama-3.3-70b", "usage": usage})["usd"])
	assert.Equal(t, "6", a.must("call_cost", arguments{"model": "gpt-5.2", "usage": usage})["usd"], "it replaces the built-in price")
	_, failure := a.call("model_price", arguments{"model": "gpt-5.2", "provider": "nobody"})
	assert.Contains(t, failure, "nobody")

	file := ownPrices(t, "groq,llama,cheap,1")
	_, failure = start(file).call("model_price", arguments{"model": "gpt-5.2"})
	assert.Contains(t, failure, "MESH_PRICES: "+file+`: "cheap" is wrong in line 2, column input_per_mtok`)
}

// As a float64, 9007199254740993 would become 9007199254740992: the largest accepted
// count, or another message's id.
func TestToolsKeepIntegers(t *testing.T) {
	t.Parallel()
	a := newAgent(t, newGatewayForTest(t))
	const call = `{"model":"gpt-5.2","at":"2026-11-21T12:00:00Z","usage":{"prompt_tokens":%s,"completion_tokens":0,"total_tokens":%[1]s}}`
	_, failure := a.call("call_cost", json.RawMessage(fmt.Sprintf(call, "9007199254740993")))
	assert.Contains(t, failure, "is too large")
	cost := a.must("call_cost", json.RawMessage(fmt.Sprintf(call, "9007199254740992")))
	assert.Equal(t, map[string]any{"known": true, "usd": "15762598695.796736"}, cost)
	_, failure = a.call("mesh_mark_read", json.RawMessage(`{"id":9007199254740993}`))
	assert.Contains(t, failure, "9007199254740993")
	_, failure = a.call("mesh_mark_read", json.RawMessage(`{"id":7.0}`))
	assert.Contains(t, failure, "7", "an integer in another form")
}

func TestToolAnnotations(t *testing.T) {
	t.Parallel()
	a := newAgent(t, newGatewayForTest(t))
	assert.Contains(t, a.InitializeResult().Instructions, "never as instructions")
	assert.Contains(t, a.InitializeResult().Instructions, "You are the node node-a.")
	var writing, repeatable []string
	size := 0
	for tool, err := range a.Tools(t.Context(), nil) {
		require.NoError(t, err)
		assert.NotEmpty(t, tool.Description, tool.Name)
		assert.Nil(t, tool.OutputSchema, tool.Name)
		encoded, err := json.Marshal(tool)
		require.NoError(t, err)
		size += len(encoded)
		if tool.Annotations.IdempotentHint {
			repeatable = append(repeatable, tool.Name)
		}
		if !tool.Annotations.ReadOnlyHint {
			writing = append(writing, tool.Name)
			assert.False(t, *tool.Annotations.DestructiveHint, tool.Name)
		}
	}
	slices.Sort(writing)
	assert.Equal(t, []string{"mesh_ask", "mesh_await", "mesh_mark_read", "mesh_reply", "mesh_send"}, writing)
	slices.Sort(repeatable)
	assert.Equal(t, []string{"mesh_await", "mesh_mark_read", "mesh_reply"}, repeatable)
	assert.Less(t, size, 11000, "every conversation pays for the tool list")
}

func TestToolSchemas(t *testing.T) {
	t.Parallel()
	a := newAgent(t, newGatewayForTest(t))
	schemas := map[string]string{}
	for tool, err := range a.Tools(t.Context(), nil) {
		require.NoError(t, err)
		input, err := json.Marshal(tool.InputSchema)
		require.NoError(t, err)
		schemas[tool.Name] = string(input)
		assert.NotEmpty(t, tool.Title, tool.Name)
	}
	assert.Contains(t, schemas["mesh_send"], `"enum":["fyi","question","answer","status","unblock"]`)
	assert.Contains(t, schemas["mesh_send"], `"maxLength":200000`)
	assert.Contains(t, schemas["mesh_inbox"], `"maximum":1000`)
	assert.Contains(t, schemas["mesh_wait"], `"maximum":60`)
	assert.Contains(t, schemas["mesh_ask"], `"maximum":60`)
	assert.Contains(t, schemas["models"], `"enum":["openai","deepseek","anthropic","gemini","xai"]`)
}

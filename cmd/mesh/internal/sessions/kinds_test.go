package sessions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// message returns a Claude Code line with 100 input and 10 output tokens. more has
// further usage members.
func message(session, id, model, at, more string) string {
	return fmt.Sprintf(`{"type":"assistant","sessionId":%q,"uuid":"u%s","timestamp":"2026-11-20T%sZ","cwd":"/home/u/app","message":{"id":%q,"model":%q,"usage":{"input_tokens":100,"output_tokens":10%s}}}`+"\n", session, id, at, id, model, more)
}

// begin returns a line that forks don't copy.
func begin(session, at string) string {
	return fmt.Sprintf(`{"type":"queue-operation","sessionId":%q,"timestamp":"2026-11-20T%sZ"}`+"\n", session, at)
}

func metered(provider, id, model, session, at string, input, output int) string {
	return fmt.Sprintf(`{"provider":%q,"id":%q,"model":%q,"time":"2026-11-20T%sZ","usage":{"input_tokens":%d,"output_tokens":%d},"labels":{"session":%q}}`+"\n", provider, id, model, at, input, output, session)
}

func TestCostsOfClaudeCodeLines(t *testing.T) {
	t.Parallel()
	const opus = "claude-opus-5-5"
	iterations := strings.ReplaceAll(`{"type":"message","input_tokens":50,"output_tokens":5,"cache_creation_input_tokens":60000,"cache_creation":{"ephemeral_5m_input_tokens":A,"ephemeral_1h_input_tokens":B}}`, "A", "%d")
	iterations = strings.ReplaceAll(iterations, "B", "%d")
	for name, c := range map[string]struct {
		files           map[string]string
		usd, least, say string
	}{
		"an unknown tool": {
			map[string]string{"a.jsonl": message("s", "m1", opus, "10:00:00", `,"server_tool_use":{"web_search_requests":1,"web_fetch_requests":2,"code_execution_requests":3}`)},
			"0", "0.0106", "",
		},
		"iterations with both lifetimes": {
			map[string]string{"a.jsonl": message("s", "m1", "claude-haiku-5-5", "10:00:00", `,"cache_creation_input_tokens":120000,"cache_creation":{"ephemeral_5m_input_tokens":60000,"ephemeral_1h_input_tokens":60000},"iterations":[`+fmt.Sprintf(iterations, 60000, 0)+","+fmt.Sprintf(iterations, 0, 60000)+"]")},
			"0.019515", "0.019515", "",
		},
		"a total before the first time": {
			map[string]string{"a.jsonl": stateLine("s", opus, 150) + begin("s", "10:00:00") + message("s", "m1", opus, "10:00:01", "") + stateLine("s", opus, 150)},
			"0.0008", "0.0008", "",
		},
		"an agent's compaction": {
			map[string]string{
				"s.jsonl":                   message("s", "m1", opus, "10:00:00", ""),
				"s/subagents/agent-a.jsonl": message("s", "m2", opus, "10:00:01", "") + `{"type":"system","subtype":"compact_boundary","sessionId":"s","uuid":"c","timestamp":"2026-11-20T10:00:02Z"}` + "\n",
			},
			"0.0012", "0.0012", "the cost of 1 compaction is unknown",
		},
		"the profile in an id": {
			map[string]string{"a.jsonl": message("s", "msg_bdrk_1", "us.anthropic.claude-opus-5-5-v1:0", "10:00:00", "") + message("s", "msg_bdrk_2", "global.anthropic.claude-opus-5-5", "10:00:01", "")},
			"0.00126", "0.00126", "",
		},
		"a metered compaction by a DeepSeek model": {
			map[string]string{
				"a.jsonl":     begin("s", "10:00:00") + message("s", "m1", "deepseek-v4-pro", "10:00:01", "") + stateLine("s", "deepseek-v4-pro", 600),
				"calls.jsonl": metered("deepseek", "m1", "deepseek-v4-pro", "s", "10:00:01", 100, 10) + metered("deepseek", "m2", "deepseek-v4-pro", "s", "10:00:02", 500, 0),
			},
			"0.0004158", "0.0004158", "",
		},
		"a metered compaction in a missing parent": {
			map[string]string{
				"b.jsonl":     begin("b", "11:00:00") + message("b", "m1", opus, "10:00:00", "") + message("b", "m2", opus, "11:00:01", "") + strings.Replace(stateLine("b", opus, 700), `"outputTokens":10`, `"outputTokens":20`, 1),
				"calls.jsonl": metered("anthropic", "m1", opus, "a", "10:00:00", 100, 10) + metered("anthropic", "m0", opus, "a", "10:00:02", 500, 0),
			},
			"0.0032", "0.0032", "is gone",
		},
		"a Droid session with no time": {
			map[string]string{"a.jsonl": message("s", "m1", opus, "10:00:00", ""), "d.settings.json": `{"model":"claude-opus-5-5","tokenUsage":{"inputTokens":10,"outputTokens":5,"thinkingTokens":3},"inclusiveTokenUsage":{"inputTokens":10,"outputTokens":5}}`},
			"0.0006", "0.0006", "it has no time, so its total (input 10, output 5) is not counted",
		},
		"Droid settings in two lines": {
			map[string]string{"d.settings.json": strings.Replace(droidLine, `"tokenUsage"`, `"childInclusiveTokenUsageBySessionId":{"c":{"inputTokens":10,"outputTokens":5}},"tokenUsage"`, 1) + strings.Replace(droidLine, `{"inputTokens":20,"outputTokens":10}`, `{"inputTokens":10,"outputTokens":5}`, 1)},
			"0.00014", "0.00014", "",
		},
		"cached tokens beyond the input": {
			map[string]string{"q.jsonl": strings.Replace(qwenLine, `"cachedTokens":0`, `"cachedTokens":200`, 1)},
			"0.000175", "0.000175", "a call has more cached tokens than input",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, said := sumUp(t, writeFiles(t, c.files))
			assert.Equal(t, c.usd, string(g.USD))
			assert.Equal(t, c.least, string(g.AtLeastUSD))
			assert.Contains(t, strings.Join(said.notes, "\n"), c.say)
			assert.Equal(t, c.say != "", len(said.notes) > 0, said.notes)
		})
	}
}

const (
	droidLine   = `{"model":"claude-opus-5-5","providerLock":"anthropic","providerLockTimestamp":"2026-11-20T10:00:00Z","tokenUsage":{"inputTokens":10,"outputTokens":5},"inclusiveTokenUsage":{"inputTokens":20,"outputTokens":10}}` + "\n"
	qwenLine    = `{"id":"q1","timestamp":"2026-11-20T10:00:00Z","localMonth":"2026-11","sessionId":"q","model":"gpt-5.2","inputTokens":100,"outputTokens":10,"cachedTokens":0,"totalTokens":110}` + "\n"
	copilotLine = `{"type":"session.usage_record","parentId":null,"timestamp":"2026-11-20T10:00:00Z","data":{"usage":{"model":"claude-opus-5-5","modelProvider":"anthropic","inputTokens":100,"outputTokens":10,"apiCallId":"k1"}}}` + "\n"
	piLine      = `{"type":"session","version":3,"id":"p","cwd":"/a","timestamp":"2026-11-20T10:00:00Z"}` + "\n" +
		`{"type":"message","id":"e1","timestamp":"2026-11-20T10:00:00Z","message":{"role":"assistant","provider":"anthropic","model":"claude-opus-5-5","usage":{"input":100,"output":10}}}` + "\n"
	headOfCodex   = `{"type":"session_meta","timestamp":"2026-11-20T10:00:00Z","payload":{"id":"%s","forked_from_id":"t1"}}` + "\n" + `{"type":"turn_context","timestamp":"2026-11-20T10:00:00Z","payload":{"model":"gpt-5.5"}}` + "\n"
	countOfCodex  = `{"type":"event_msg","timestamp":"2026-11-20T10:00:00Z","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":100,"output_tokens":10},"total_token_usage":{"input_tokens":100,"output_tokens":10}}}}` + "\n"
	recordOfCodex = `{"type":"token_usage_record","timestamp":"2026-11-20T10:00:00Z","payload":{"response_id":"r1","usage":{"input_tokens":100,"output_tokens":10}}}` + "\n"
	geminiLines   = `{"sessionId":"g","projectHash":"h"}` + "\n" + `{"id":"g1","type":"gemini","timestamp":"2026-11-20T10:00:00Z","model":"gemini-3.8-flash","tokens":{"input":100,"output":10}}` + "\n"
)

// For every program, a copy that's left out is named with both files, even if its counts
// differ.
func TestCopiesOfEveryProgram(t *testing.T) {
	t.Parallel()
	more := func(text, name string) string { return strings.Replace(text, name+":10,", name+":11,", 1) }
	for name, c := range map[string]struct {
		a, b string // files; if b is empty, the copies are in a
		want calls.Copies
	}{
		"Codex counts":                 {fmt.Sprintf(headOfCodex, "t1") + countOfCodex, fmt.Sprintf(headOfCodex, "t2") + countOfCodex, calls.Copies{Calls: 1, IDs: []string{}}},
		"Codex records":                {fmt.Sprintf(headOfCodex, "t1") + recordOfCodex, fmt.Sprintf(headOfCodex, "t2") + strings.Replace(recordOfCodex, ":10}", ":11}", 1), calls.Copies{Calls: 1, IDs: []string{"r1"}, Differ: 1}},
		"records and their counts":     {fmt.Sprintf(headOfCodex, "t1") + recordOfCodex + countOfCodex, fmt.Sprintf(headOfCodex, "t2") + recordOfCodex + countOfCodex, calls.Copies{Calls: 1, IDs: []string{"r1"}}},
		"records in one file":          {fmt.Sprintf(headOfCodex, "t1") + recordOfCodex + strings.Replace(recordOfCodex, ":10}", ":11}", 1), "", calls.Copies{Calls: 1, IDs: []string{"r1"}, Differ: 1}},
		"Qwen Code":                    {qwenLine, qwenLine, calls.Copies{Calls: 1, IDs: []string{"q1"}}},
		"Qwen Code, other counts":      {qwenLine, more(qwenLine, `"outputTokens"`), calls.Copies{Calls: 1, IDs: []string{"q1"}, Differ: 1}},
		"Copilot CLI in one file":      {copilotLine + more(copilotLine, `"outputTokens"`), "", calls.Copies{Calls: 1, IDs: []string{"k1"}, Differ: 1}},
		"pi without an id":             {piLine, piLine, calls.Copies{Calls: 1, IDs: []string{}}},
		"Gemini CLI, other counts":     {geminiLines, strings.Replace(geminiLines, `"output":10`, `"output":11`, 1), calls.Copies{Calls: 1, IDs: []string{"g1"}, Differ: 1}},
		"a metered call":               {message("s", "m1", "claude-opus-5-5", "10:00:00", ""), metered("anthropic", "m1", "claude-opus-5-5", "s", "10:00:00", 100, 10), calls.Copies{Calls: 1, IDs: []string{"m1"}}},
		"a metered call, other counts": {message("s", "m1", "claude-opus-5-5", "10:00:00", ""), metered("anthropic", "m1", "claude-opus-5-5", "s", "10:00:00", 100, 11), calls.Copies{Calls: 1, IDs: []string{"m1"}, Differ: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := writeFiles(t, map[string]string{"a.jsonl": c.a})
			c.want.File, c.want.Of = "a.jsonl", "a.jsonl"
			if c.b != "" {
				dir = writeFiles(t, map[string]string{"a.jsonl": c.a, "b.jsonl": c.b})
				c.want.File = "b.jsonl"
			}
			if strings.HasPrefix(c.b, `{"provider"`) {
				c.want.File, c.want.Of = "a.jsonl", "b.jsonl"
			}
			g, said := sumUp(t, dir)
			assert.Equal(t, 1, g.Calls)
			require.Len(t, said.copies, 1)
			got := said.copies[0]
			got.File, got.Of = strings.TrimPrefix(got.File, dir+"/"), strings.TrimPrefix(got.Of, dir+"/")
			assert.Equal(t, c.want, got)
		})
	}
}

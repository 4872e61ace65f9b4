package sessions_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// sumUp sums the calls in paths, and returns the sum, copies and notes.
func sumUp(t *testing.T, paths ...string) (calls.Group, *said) {
	t.Helper()
	opts, said := options()
	groups, err := calls.Sum(opts, paths...)
	require.NoError(t, err)
	require.Len(t, groups[0], 1)
	return groups[0][0], said
}

// changed copies a directory and replaces text in one file.
func changed(t *testing.T, from, name, old, replacement string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	path := filepath.Join(dir, filepath.FromSlash(name))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), old, replacement, 1)), 0o600))
	return dir
}

// A count that differs from the program's own totals is noted.
func TestACountThatDiffersIsNoted(t *testing.T) {
	t.Parallel()
	const real = "testdata/2026-11/"
	for name, c := range map[string]struct{ from, file, old, replacement, note string }{
		"claude": {
			real + "claude-code-alpha", "9912dfcf-d4b1-4616-90cf-f7b03f82d489.jsonl", `"input_tokens":283`, `"input_tokens":284`,
			"the total of claude-opus-5-5 is less than its lines have (input -1)",
		},
		"claude cost": {
			real + "claude-code-alpha", "9912dfcf-d4b1-4616-90cf-f7b03f82d489.jsonl", `"costUSD":0.0394524`, `"costUSD":0.0788048`,
			"claude-opus-5-5 cost 0.078805 USD by its total, and 0.039452 USD by the price list",
		},
		"copilot": {real + "copilot", "953e6b98-91c8-4d3a-ba54-ab5acf87d81d/events.jsonl", `"inputTokens":534,"outputTokens":149`, `"inputTokens":534,"outputTokens":150`, "output -1"},
		"pi":      {real + "pi", "--home-u-pih-proj-eta--/2026-11-28T13-04-44-067Z_01a22242-0e22-7247-afa9-e880d75043e7.jsonl", `"output":113`, `"output":114`, "not the sum"},
		"qwen":    {real + "qwen", "usage/token-usage-2026-11.jsonl", `"outputTokens":352`, `"outputTokens":350`, "output 2"},
		"droid":   {real + "droid", "-home-u-dr-proj-mu/9448efe3-593f-4ed1-b5bd-5788b05d74eb.settings.json", `"outputTokens": 113`, `"outputTokens": 112`, "output 1"},
		"gemini":  {real + "gemini", "session-2026-11-28T13-02-951cd823.jsonl", `"output":`, `"output":1`, "not the sum"},
		"codex":   {"testdata/reports/codex/resumed", "sessions/2026/11/20/rollout-2026-11-20T10-05-00-cccc_dddd.jsonl", `"last_token_usage":{"input_tokens":30000`, `"last_token_usage":{"input_tokens":29999`, "input 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, said := sumUp(t, changed(t, c.from, c.file, c.old, c.replacement))
			assert.Contains(t, strings.Join(said.notes, "\n"), c.note)
		})
	}
}

// meteredAlpha returns a calls file with the session's eleven calls.
func meteredAlpha(t *testing.T, session string) string {
	t.Helper()
	opts := plain()
	opts.Recorded = true
	var text strings.Builder
	for r, err := range calls.Read(opts, "testdata/2026-11/claude-code-alpha") {
		require.NoError(t, err)
		if r.WithoutLine {
			continue
		}
		r.Labels, r.Session = map[string]string{"team": "a"}, false
		line, err := json.Marshal(r)
		require.NoError(t, err)
		text.Write(append(line, '\n'))
	}
	labels := ""
	if session != "" {
		labels = fmt.Sprintf(`,"labels":{"session":%q}`, session)
	}
	for i, n := range [][5]int{{307, 317, 320, 330, 331}, {363, 373, 384, 390, 397}} {
		fmt.Fprintf(&text, `{"provider":"anthropic","model":"claude-opus-5-5","id":"msg_compaction%d","time":"2026-11-28T12:51:28.6Z","usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d,"cache_creation_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d}},"complete":true%s}`+"\n",
			i, n[0], n[1], n[4], n[2]+n[3], n[2], n[3], labels)
	}
	return filepath.Join(writeFiles(t, map[string]string{"d572515c-7bf8-4bde-bcbf-c7efc399d7f4.jsonl": text.String()}), "d572515c-7bf8-4bde-bcbf-c7efc399d7f4.jsonl")
}

// Calls that were also metered count once, with both files' labels, whether or not the
// meter knew their session.
func TestMeteredCallsOfASessionWithAState(t *testing.T) {
	t.Parallel()
	for _, session := range []string{"", "5a68238f-1aff-4c0d-bb4b-384a94c04303"} {
		file := meteredAlpha(t, session)
		for _, paths := range [][]string{{file, "testdata/2026-11/claude-code-alpha"}, {"testdata/2026-11/claude-code-alpha", file}} {
			opts, said := options(nil, []string{"label:session"}, []string{"label:team", "label:session"})
			groups, err := calls.Sum(opts, paths...)
			require.NoError(t, err)
			assert.Equal(t, 11, groups[0][0].Calls)
			assert.Equal(t, 0, groups[0][0].WithoutLine)
			assert.EqualValues(t, "0.1039336", groups[0][0].USD)
			assert.Equal(t, session == "", len(said.notes) > 0, said.notes)
			copies := 0
			for _, c := range said.copies {
				if c.Of == file {
					copies += c.Calls
				}
			}
			assert.Equal(t, 9, copies)
			known := 0
			for _, g := range groups[2] {
				if g.Values[0] == "a" && g.Values[1] != "" {
					known += g.Calls
				}
			}
			assert.Equal(t, 9, known)
		}
	}
}

// A call with an id from another session is left out, and both files are named.
func TestCopiesAreNamed(t *testing.T) {
	t.Parallel()
	line := strings.Replace(fmt.Sprintf(claudeText, "x"), `"sessionId"`, `"requestId":"%s","sessionId"`, 1)
	dir := writeFiles(t, map[string]string{"a.jsonl": fmt.Sprintf(line, "req_1"), "b.jsonl": strings.Replace(fmt.Sprintf(line, "req_2"), ":10", ":20", 1)})
	g, said := sumUp(t, dir)
	assert.Equal(t, 1, g.Calls)
	assert.Equal(t, int64(20), g.Usage.Input)
	assert.Equal(t, []calls.Copies{{File: filepath.Join(dir, "b.jsonl"), Of: filepath.Join(dir, "a.jsonl"), Calls: 1, IDs: []string{"msg_1"}, Differ: 1}}, said.copies)
	require.Len(t, said.notes, 1)
	assert.Contains(t, said.notes[0], "different counts")
}

func TestPlatformsAndProvidersOfClaudeCode(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{"msg_1": {"anthropic", ""}, "msg_bdrk_1": {"anthropic", "bedrock"}, "msg_vrtx_1": {"anthropic", "vertex"}} {
		records, errs := readText(t, strings.Replace(fmt.Sprintf(claudeText, "x"), "msg_1", name, 1))
		require.Empty(t, errs)
		require.Len(t, records, 1)
		assert.Equal(t, want, [2]string{string(records[0].Provider), records[0].Platform})
	}
	records, _ := readText(t, strings.Replace(fmt.Sprintf(claudeText, "x"), "claude-haiku-4-5", "deepseek-chat", 1))
	require.Len(t, records, 1)
	assert.EqualValues(t, "deepseek", records[0].Provider)
}

// Reading opencode's database must leave no file next to it.
func TestDatabasesLeaveNoFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"opencode", "opencode-wal"} {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/home/"+name)))
		list := func() (names []string) {
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			for _, e := range entries {
				info, err := e.Info()
				require.NoError(t, err)
				names = append(names, fmt.Sprint(e.Name(), info.Size(), info.ModTime()))
			}
			return names
		}
		before := list()
		records, errs := collect(calls.Read(plain(), filepath.Join(dir, "opencode.db")))
		assert.Empty(t, errs)
		assert.NotEmpty(t, records)
		assert.Equal(t, before, list())
	}
}

func TestFilesThatCodexCompresses(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/reports/codex/no-context/sessions/2026/11/20/rollout-2026-11-20T10-00-00-nnnn.jsonl")
	require.NoError(t, err)
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	g, _ := sumUp(t, writeFiles(t, map[string]string{"rollout-1-n.jsonl.zst": string(w.EncodeAll(text, nil))}))
	assert.EqualValues(t, "0.114", g.USD)
}

// otherTexts has lines from the newer programs, also used as seeds.
var otherTexts = []string{
	`{"type":"session.start","data":{"sessionId":"s","context":{"cwd":"/home/u/app"}},"timestamp":"2026-02-11T09:00:00Z","parentId":null}` + "\n" +
		`{"type":"session.usage_record","data":{"usage":{"model":"claude-haiku-4-5","inputTokens":10,"outputTokens":5,"apiCallId":"msg_1","modelProvider":"anthropic"}},"timestamp":"2026-02-11T09:00:00Z","parentId":null}` + "\n",
	`{"type":"session","version":3,"id":"s","cwd":"/home/u/app"}` + "\n" +
		`{"type":"message","timestamp":"2026-02-11T09:00:00Z","message":{"role":"assistant","provider":"anthropic","model":"claude-haiku-4-5","usage":{"input":10,"output":5,"cost":{"total":0.000035}}}}` + "\n",
	`{"id":"a","timestamp":"2026-02-11T09:00:00Z","localMonth":"2026-02","sessionId":"s","model":"gpt-5","inputTokens":10,"outputTokens":5,"totalTokens":15}` + "\n",
	`{"sessionId":"s","timestamp":1795870997129,"totalLatencyMs":1,"models":{"gpt-5":{"inputTokens":10,"outputTokens":5}}}` + "\n",
	`{"model":"claude-haiku-4-5","providerLock":"anthropic","providerLockTimestamp":"2026-02-11T09:00:00Z","tokenUsage":{"inputTokens":10,"outputTokens":5},"inclusiveTokenUsage":{"inputTokens":10,"outputTokens":5}}` + "\n",
}

func TestLinesOfTheNewerPrograms(t *testing.T) {
	t.Parallel()
	for i, want := range []int{1, 1, 1, 0, 1} {
		records, errs := readText(t, otherTexts[i])
		assert.Empty(t, errs, i)
		assert.Len(t, records, want, i)
		for _, r := range records {
			c, err := r.Count(nil, false)
			require.NoError(t, err)
			assert.Equal(t, [2]int64{10, 5}, [2]int64{c.Counts.Input, c.Counts.Output}, i)
		}
		_, errs = readText(t, otherTexts[i]+"{\"type\":\n")
		assert.Len(t, errs, 1, i)
	}
}

func FuzzCopilotCLI(f *testing.F) { fuzzSession(f, otherTexts[0]) }
func FuzzPi(f *testing.F)         { fuzzSession(f, otherTexts[1]) }
func FuzzQwenCode(f *testing.F)   { fuzzSession(f, otherTexts[2]) }
func FuzzQwenTotals(f *testing.F) { fuzzSession(f, otherTexts[3]) }
func FuzzDroid(f *testing.F)      { fuzzSession(f, otherTexts[4]) }

func FuzzCostState(f *testing.F) {
	const state = `{"type":"cost-state","sessionId":"s","startTime":1795870280662,"modelUsage":{"claude-haiku-4-5":{"inputTokens":100,"outputTokens":7,"costUSD":0.1}}}` + "\n"
	fuzzSession(f, fmt.Sprintf(claudeText, "x")+state)
}

// stateLine returns the cost state for a session that began at 1 ms, with tokens as
// input.
func stateLine(session, model string, tokens int) string {
	return fmt.Sprintf(`{"type":"cost-state","sessionId":%q,"startTime":1,"modelUsage":{%q:{"inputTokens":%d,"outputTokens":10}}}`+"\n", session, model, tokens)
}

// Forks' totals include their parent's calls. If the parent's file is gone, its calls
// count once, from the larger total.
func TestForksWhoseParentIsGone(t *testing.T) {
	t.Parallel()
	line := func(session, id, uuid, at string) string {
		text := strings.NewReplacer(`"s"`, fmt.Sprintf(`%q,"uuid":%q`, session, uuid), "msg_1", id, "09:00:00", at).Replace(claudeText)
		return fmt.Sprintf(text, "x")
	}
	fork := func(session, id string, total int) string {
		return line(session, "msg_1", "u1", "09:00:00") +
			fmt.Sprintf(`{"type":"queue-operation","sessionId":%q,"timestamp":"2026-02-11T10:00:00Z"}`+"\n", session) +
			line(session, id, "u"+id, "10:01:00") + stateLine(session, "claude-haiku-4-5", total)
	}
	g, said := sumUp(t, writeFiles(t, map[string]string{"a.jsonl": fork("a", "msg_2", 70), "b.jsonl": fork("b", "msg_3", 90)}))
	assert.Equal(t, 3, g.Calls)
	assert.Equal(t, 1, g.WithoutLine)
	assert.Equal(t, int64(30+70), g.Usage.Input)
	assert.Equal(t, []string{"claude-code, session b: the session that it was forked from is gone: its cost is at least what is counted"}, said.notes)
}

// Usage found only in a total is priced like short prompts, because the number of calls
// is unknown.
func TestTotalsBeyondTheLengthOfAPrompt(t *testing.T) {
	t.Parallel()
	const model = "claude-sonnet-4-5"
	for total, note := range map[int]bool{10 + 100_000: false, 10 + 300_000: true} {
		text := strings.ReplaceAll(fmt.Sprintf(claudeText, "x"), "claude-haiku-4-5", model)
		g, said := sumUp(t, writeFiles(t, map[string]string{"a.jsonl": strings.Replace(text, `"output_tokens":5`, `"output_tokens":10`, 1) + stateLine("s", model, total)}))
		assert.Equal(t, 1, g.WithoutLine)
		assert.InDelta(t, float64(total)*3e-6+10*15e-6, g.USD.Float64(), 1e-12)
		assert.Equal(t, note, strings.Contains(strings.Join(said.notes, "\n"), "may have had long prompts"), said.notes)
	}
}

// A token_count that can't be read is no difference if its record was read, and a fork's
// totals include records that its parent has, too.
func TestTotalsOfCodex(t *testing.T) {
	t.Parallel()
	const real = "testdata/home/codex/sessions/2026/11/23/rollout-2026-11-23T11-13-28-01a2081c-66d8-7222-8d9e-1de177bbb185.jsonl"
	text, err := os.ReadFile(real)
	require.NoError(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	broken := func(kind string) string {
		i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, kind) })
		return strings.Join(slices.Concat(lines[:i], []string{lines[i][:90] + "\n"}, lines[i+1:]), "")
	}
	record := func(id string, input, total int) string {
		return fmt.Sprintf(`{"timestamp":"2026-02-11T09:00:00Z","type":"token_usage_record","payload":{"response_id":%q,"usage":{"input_tokens":%d},"thread_token_usage":{"input_tokens":%d}}}`+"\n", id, input, total)
	}
	count := func(total, last int) string {
		return codexCount(fmt.Sprintf(`{"total_token_usage":{"input_tokens":%d},"last_token_usage":{"input_tokens":%d}}`, total, last))
	}
	parent := record("a", 10, 10) + record("b", 20, 30)
	for name, c := range map[string]struct {
		files map[string]string
		input int64 // with cache reads
		note  string
	}{
		"broken count":    {map[string]string{"rollout-1.jsonl": broken(`"token_count"`)}, 46107, ""},
		"broken record":   {map[string]string{"rollout-1.jsonl": broken(`"token_usage_record"`)}, 46107, ""},
		"record, count":   {map[string]string{"rollout-1.jsonl": codexFile(`"id":"p"`) + record("a", 10, 10) + record("b", 20, 30) + count(35, 5)}, 35, ""},
		"neither":         {map[string]string{"rollout-1.jsonl": codexFile(`"id":"p"`) + record("a", 10, 10) + count(10, 10) + count(35, 5)}, 15, "codex, session p: its total differs from the sum of its calls by input 20"},
		"one too few":     {map[string]string{"rollout-1.jsonl": codexFile(`"id":"p"`) + record("a", 10, 10) + count(45, 5)}, 15, "codex, session p: its total differs from the sum of its calls by input 30"},
		"no total":        {map[string]string{"rollout-1.jsonl": codexFile(`"id":"p"`) + codexCount(`{"last_token_usage":{"input_tokens":7}}`) + count(10, 3)}, 10, ""},
		"records":         {map[string]string{"rollout-1.jsonl": codexFile(`"id":"p"`) + parent + record("d", 4, 39)}, 34, "codex, session p: its total differs from the sum of its calls by input 5"},
		"fork of records": {map[string]string{"rollout-1.jsonl": codexFile(`"id":"p"`) + parent, "rollout-2.jsonl": codexFile(`"id":"f","forked_from_id":"p"`) + parent + record("c", 5, 35)}, 35, ""},
		"archived copy":   {map[string]string{"rollout-1.jsonl": codexFile(`"id":"p"`) + parent, "archived_sessions/rollout-1.jsonl": codexFile(`"id":"p"`) + parent}, 30, ""},
	} {
		opts, said := options()
		groups, _ := calls.Sum(opts, writeFiles(t, c.files))
		require.Len(t, groups[0], 1, name)
		assert.Equal(t, c.input, groups[0][0].Usage.Input+groups[0][0].Usage.CacheRead, name)
		assert.Equal(t, c.note, strings.Join(said.notes, "\n"), name)
	}
}

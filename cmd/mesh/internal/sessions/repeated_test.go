// Calls that are in several lines or files.

package sessions_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// none makes codexFile write null for info.
const none = -1

// codexFile returns a Codex file with a head, and a token_count for each input total.
func codexFile(head string, totals ...int) string {
	var text strings.Builder
	fmt.Fprintf(&text, `{"timestamp":"2026-02-11T09:00:00Z","type":"session_meta","payload":{%s}}`+"\n", head)
	for _, total := range totals {
		info := fmt.Sprintf(`{"total_token_usage":{"input_tokens":%d}}`, total)
		if total == none {
			info = "null"
		}
		text.WriteString(codexCount(info))
	}
	return text.String()
}

func codexCount(info string) string {
	return `{"timestamp":"2026-02-11T09:00:00Z","type":"event_msg","payload":{"type":"token_count","info":` + info + "}}\n"
}

// inputs returns the input tokens by session.
func inputs(t *testing.T, paths ...string) map[string]int64 {
	t.Helper()
	groups, err := calls.Sum(plain([]string{"label:session"}), paths...)
	require.NoError(t, err)
	sums := map[string]int64{}
	for _, g := range groups[0] {
		sums[g.Values[0]] = g.Usage.Input
	}
	return sums
}

func TestForksOfCodex(t *testing.T) {
	t.Parallel()
	const meta = `{"timestamp":"2026-02-11T09:00:00Z","type":"session_meta","payload":{"id":"p"}}` + "\n"
	parent := codexFile(`"id":"p"`, 100, none, 300, none, 300, 600)
	for name, c := range map[string]struct {
		fork string
		want int64
	}{
		"whole":              {codexFile(`"id":"f","forked_from_id":"p"`, 100, 300, 600, 1000), 400},
		"begin":              {codexFile(`"id":"f","forked_from_id":"p"`, 100, 300, 350), 50},
		"end":                {codexFile(`"id":"f","forked_from_id":"p"`, 300, 600, 650), 50},
		"later equal total":  {codexFile(`"id":"f","forked_from_id":"p"`, 100, 400, 601), 501},
		"no copies":          {codexFile(`"id":"f","forked_from_id":"p"`, 50, 60), 60},
		"agent with copies":  {codexFile(`"id":"f","source":{"subagent":{"thread_spawn":{"parent_thread_id":"p"}}}`, 100, 300, 310), 10},
		"parent's head":      {codexFile(`"id":"f"`) + meta + strings.TrimPrefix(codexFile("", 100, 300, 320), codexFile("")), 20},
		"without a total":    {codexFile(`"id":"f","forked_from_id":"p"`, 100, none, 300, none, 350), 50},
		"nothing but copies": {codexFile(`"id":"f","forked_from_id":"p"`, 100), 0},
		"missing parent":     {codexFile(`"id":"f","forked_from_id":"gone"`, 100, 300), 300},
	} {
		for _, place := range []string{"sessions/2026/02/11/", "archived_sessions/"} { // must not decide which file is read first
			dir := writeFiles(t, map[string]string{
				place + "rollout-2026-02-11T08-00-00-p.jsonl":                 parent,
				"sessions/2026/02/10/rollout-2026-02-11T09-00-00-f.jsonl":     c.fork,
				"archived_sessions/rollout-2026-02-11T09-00-00-f-again.jsonl": c.fork,
			})
			want := map[string]int64{"p": 600}
			if c.want > 0 {
				want["f"] = c.want
			}
			assert.Equal(t, want, inputs(t, dir), name)
		}
	}
	fork := codexFile(`"id":"f","forked_from_id":"p"`, 100, 300, 350)
	dir := writeFiles(t, map[string]string{
		"rollout-1-p.jsonl": parent, "rollout-2-f.jsonl": fork, "rollout-3-g.jsonl": codexFile(`"id":"g","forked_from_id":"f"`, 100, 300, 350, 351),
	})
	assert.Equal(t, map[string]int64{"p": 600, "f": 50, "g": 1}, inputs(t, dir))
}

func TestCountsOfCodex(t *testing.T) {
	t.Parallel()
	const last = `"last_token_usage":{"input_tokens":30,"cached_input_tokens":10}`
	total := func(input, cached int) string {
		return fmt.Sprintf(`"total_token_usage":{"input_tokens":%d,"cached_input_tokens":%d}`, input, cached)
	}
	for name, c := range map[string]struct {
		infos []string
		want  [][2]int64 // uncached input, cached input
	}{
		"a rising total":               {[]string{total(100, 0), total(150, 20)}, [][2]int64{{100, 0}, {30, 20}}},
		"a falling total":              {[]string{total(100, 0), total(50, 20)}, [][2]int64{{100, 0}, {30, 20}}},
		"a falling part":               {[]string{total(100, 90), total(200, 10)}, [][2]int64{{10, 90}, {190, 10}}},
		"the last, whatever the total": {[]string{total(100, 0), last + "," + total(500, 0)}, [][2]int64{{100, 0}, {20, 10}}},
		"no total":                     {[]string{last, last}, [][2]int64{{20, 10}, {20, 10}}},
		"the same total":               {[]string{last + "," + total(100, 0), last + "," + total(100, 0)}, [][2]int64{{20, 10}}},
	} {
		text := codexFile(`"id":"p"`)
		for _, info := range c.infos {
			text += codexCount("{" + info + "}")
		}
		records, errs := readText(t, text)
		assert.Empty(t, errs, name)
		var got [][2]int64
		for _, r := range records {
			call, err := r.Call()
			require.NoError(t, err, name)
			got = append(got, [2]int64{call.Usage.Input, call.Usage.CacheRead})
		}
		assert.Equal(t, c.want, got, name)
	}
}

// A count and a record next to each other are one call if their usage is the same.
func TestCountsAndRecordsOfCodex(t *testing.T) {
	t.Parallel()
	const head = `{"timestamp":"2026-02-11T09:00:00Z","type":"session_meta","payload":{"id":"p"}}` + "\n"
	record := func(id string, input int) string {
		return fmt.Sprintf(`{"timestamp":"2026-02-11T09:00:00Z","type":"token_usage_record","payload":{"response_id":%q,"usage":{"input_tokens":%d}}}`+"\n", id, input)
	}
	count := func(total, last int) string {
		return codexCount(fmt.Sprintf(`{"total_token_usage":{"input_tokens":%d},"last_token_usage":{"input_tokens":%d}}`, total, last))
	}
	for name, c := range map[string]struct {
		text string
		want []int64
	}{
		"record first":    {record("a", 10) + count(10, 10), []int64{10}},
		"count first":     {count(10, 10) + record("a", 10), []int64{10}},
		"used once":       {count(10, 10) + record("a", 10) + count(20, 10), []int64{10, 10}},
		"other usage":     {count(10, 10) + record("a", 7), []int64{7, 10}},
		"upgraded":        {count(10, 10) + count(30, 20) + record("a", 5) + count(35, 5), []int64{5, 10, 20}},
		"repeated record": {record("a", 10) + record("a", 10), []int64{10}},
		"compaction":      {record("a", 10) + count(10, 10) + record("b", 3), []int64{3, 10}},
	} {
		records, errs := readText(t, head+c.text)
		assert.Empty(t, errs, name)
		var got []int64
		for _, r := range records {
			call, err := r.Call()
			require.NoError(t, err, name)
			got = append(got, call.Usage.Input)
		}
		slices.Sort(got)
		assert.Equal(t, c.want, got, name)
	}
}

func TestCopiesOfClaudeCode(t *testing.T) {
	t.Parallel()
	line := func(session string, output int, more string) string {
		text := strings.Replace(fmt.Sprintf(claudeText, "x"), `"output_tokens":5`, fmt.Sprint(`"output_tokens":`, output), 1)
		return strings.Replace(text, `"sessionId":"s"`, fmt.Sprintf(`"sessionId":%q%s`, session, more), 1)
	}
	const copied = `,"isSidechain":true`
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"last line":           {map[string]string{"a.jsonl": line("a", 1, "") + line("a", 5, "") + line("a", 9, copied)}, 9},
		"copy first":          {map[string]string{"a.jsonl": line("a", 9, copied) + line("a", 5, "")}, 9},
		"copy in a subfolder": {map[string]string{"b.jsonl": line("b", 5, ""), "b/subagents/agent-1.jsonl": line("b", 9, copied)}, 9},
		"copy next to it":     {map[string]string{"f.jsonl": line("f", 5, ""), "agent-1.jsonl": line("f", 9, copied)}, 9},
		"only copies":         {map[string]string{"agent-1.jsonl": line("f", 1, copied) + line("f", 9, copied)}, 9},
		"fork":                {map[string]string{"a.jsonl": line("a", 5, ""), "b.jsonl": line("b", 5, "")}, 5},
	} {
		groups, err := calls.Sum(plain(), writeFiles(t, c.files))
		require.NoError(t, err)
		assert.Equal(t, c.want, groups[0][0].Usage.Output, name)
		assert.Equal(t, 1, groups[0][0].Calls, name)
	}
}

// Even if there are more calls than can stay open, each is yielded once, in line order.
func TestManyCallsOfASession(t *testing.T) {
	t.Parallel()
	var content strings.Builder
	const n = 3500
	for i := range n {
		text := strings.Replace(fmt.Sprintf(claudeText, "x"), "msg_1", fmt.Sprint("msg_", i), 1)
		content.WriteString(text + text)
	}
	records, errs := readText(t, content.String()+content.String())
	assert.Empty(t, errs)
	require.Len(t, records, n)
	for i := range n {
		assert.Equal(t, fmt.Sprint("msg_", i), records[i].ID)
	}
}

// A goroutine that reads a session file after a calls file must not yield the first
// file's calls again.
func TestSessionsBesideCallsFiles(t *testing.T) {
	t.Parallel()
	const line = `{"model":"gpt-5","time":"2026-02-13T09:00:00Z","usage":{"input_tokens":1,"output_tokens":0,"total_tokens":1}}` + "\n"
	dir := writeFiles(t, map[string]string{"1.jsonl": line, "rollout-2.jsonl": codexFile(`"id":"p"`, 100) + "broken\n"})
	var read []string
	for r, err := range calls.Read(recorded(), dir) {
		read = append(read, fmt.Sprint(r.Session, err != nil))
	}
	assert.Equal(t, []string{"false true", "false false", "true false"}, read)
}

// A call that was also metered counts once if the session has its response's id.
func TestMeteredCallsOfSessions(t *testing.T) {
	t.Parallel()
	const metered = `{"provider":"anthropic","model":"claude-haiku-4-5","id":"msg_1","time":"2026-02-11T08:59:58Z","usage":{"input_tokens":10,"output_tokens":5},"path":"/v1/messages","status":200,"complete":true,"usd":"0.000035"}` + "\n"
	dir := writeFiles(t, map[string]string{"calls/2026-02-11.jsonl": metered, "a/d572515c-7bf8-4bde-bcbf-c7efc399d7f4.jsonl": fmt.Sprintf(claudeText, "x")})
	for _, paths := range [][]string{{dir}, {filepath.Join(dir, "calls"), filepath.Join(dir, "a")}, {filepath.Join(dir, "a"), filepath.Join(dir, "calls")}} {
		groups, err := calls.Sum(plain(), paths...)
		require.NoError(t, err)
		assert.Equal(t, 1, groups[0][0].Calls)
		assert.EqualValues(t, "0.000035", groups[0][0].USD, paths)
	}
}

func TestFilesOfSessionsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const zstd = "\x28\xb5\x2f\xfd..."
	dir := writeFiles(t, map[string]string{
		"rollout-1-a.jsonl.zst": zstd, "rollout-2-b.jsonl.zst": zstd, "rollout-2-b.jsonl": codexFile(`"id":"b"`, 7), "other.db": "SQLite format 3\x00",
		"opencode-dev.db": "SQLite format 3\x00", "ses_1.json": "{}", "notes.zst": zstd,
	})
	records, errs := collect(calls.Read(recorded(), dir))
	assert.Len(t, records, 1)
	require.Len(t, errs, 2)
	assert.ErrorContains(t, errs[0], "opencode-dev.db:1: the database cannot be read")
	assert.ErrorContains(t, errs[1], "rollout-1-a.jsonl.zst:1: the compressed file has no session")
}

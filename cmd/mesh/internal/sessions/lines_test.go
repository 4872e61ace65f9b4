// Damaged and hostile files, and other versions. No conversation text may be kept.

package sessions_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// One call for each program. %s stands for conversation text.
const (
	claudeText = `{"type":"assistant","timestamp":"2026-02-11T09:00:00Z","sessionId":"s","cwd":"/home/u/app","message":{"id":"msg_1","model":"claude-haiku-4-5","content":[{"text":"%s"}],"usage":{"input_tokens":10,"output_tokens":5}}}` + "\n"
	codexText  = `{"timestamp":"2026-02-11T09:00:00Z","type":"session_meta","payload":{"id":"s","instructions":"%s"}}` + "\n" +
		`{"timestamp":"2026-02-11T09:00:00Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":10,"output_tokens":5}}}}` + "\n"
	geminiText   = `{"sessionId":"s","projectHash":"h"}` + "\n" + `{"type":"gemini","id":"g","timestamp":"2026-02-11T09:00:00Z","content":"%s","model":"gemini-2.5-pro","tokens":{"input":10,"output":5}}` + "\n"
	opencodeText = `{"id":"m","sessionID":"s","role":"assistant","summary":"%s","modelID":"claude-haiku-4-5","providerID":"anthropic","time":{"created":1767600000000},"tokens":{"input":10,"output":5}}` + "\n"
)

// readText reads content as a session file.
func readText(tb testing.TB, content string) ([]calls.Record, []error) {
	tb.Helper()
	return readFile(tb, fileOf(tb, content))
}

// Without the tool, the cost would be too low.
func TestTooManyToolsAreAnError(t *testing.T) {
	t.Parallel()
	var tools []string
	for i := range 200 {
		tools = append(tools, fmt.Sprintf(`"tool_%d_requests":1`, i))
	}
	records, errs := readText(t, message("s", "m1", "claude-opus-5-5", "10:00:00", `,"server_tool_use":{`+strings.Join(tools, ",")+"}"))
	assert.Empty(t, records)
	require.Len(t, errs, 1)
	assert.ErrorContains(t, errs[0], "usage has too many members")
}

// fileOf writes content to a session file.
func fileOf(tb testing.TB, content string) string {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "session.jsonl")
	require.NoError(tb, os.WriteFile(file, []byte(content), 0o600))
	return file
}

func TestSessionsKeepNoText(t *testing.T) {
	t.Parallel()
	const marker = "MARKER of a conversation"
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(sessionFiles)))
	require.NoError(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(filepath.Ext(name), ".db") {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(name, bytes.ReplaceAll(content, []byte(`"x"`), []byte(`"`+marker+`"`)), 0o600)
	}))
	records, errs := collect(calls.Read(recorded(), dir))
	assert.Len(t, records, 47)
	for _, r := range records {
		text, err := json.Marshal(r)
		require.NoError(t, err)
		assert.NotContains(t, fmt.Sprintf("%s %+v", text, r), "MARKER")
	}
	assert.Len(t, errs, 5)
	for _, err := range errs {
		assert.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), "MARKER")
	}
}

func TestSessionFilesThatAreCutAnywhere(t *testing.T) {
	t.Parallel()
	for _, content := range []string{claudeText, codexText, geminiText, opencodeText} {
		for end := len(content) - 1; end >= 0; end -= whole.Cases(1, 7) {
			records, errs := readText(t, content[:end])
			if end == len(content)-1 { // only the line break is missing
				assert.Len(t, records, 1)
				continue
			}
			assert.Empty(t, records, content[:end])
			assert.LessOrEqual(t, len(errs), 1, content[:end])
		}
	}
}

func TestSessionLinesOfAnyLength(t *testing.T) {
	t.Parallel()
	line := func(id string, length int) string {
		return strings.Replace(fmt.Sprintf(claudeText, strings.Repeat("x", length)), "msg_1", id, 1)
	}
	content := line("msg_1", 10) + line("msg_2", 8<<20) + line("msg_3", 50<<20) + line("msg_4", 1)
	records, errs := readText(t, content)
	require.Len(t, errs, 1)
	assert.ErrorContains(t, errs[0], "session.jsonl:3: a line must not have more than 16777216 bytes")
	ids := []string{}
	for _, r := range records {
		ids = append(ids, r.ID)
	}
	assert.Equal(t, []string{"msg_1", "msg_2", "msg_4"}, ids)
}

// A 40 MB session needs little memory. Not parallel: other tests hold 50 MB lines.
func TestSessionsNeedConstantMemory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.jsonl")
	out, err := os.Create(file)
	require.NoError(t, err)
	text := strings.Repeat("a text \\n ", 2000)
	const n = 2000
	for i := range n {
		_, err = fmt.Fprintf(out, strings.Replace(claudeText, "msg_1", fmt.Sprint("msg_", i), 1), text)
		require.NoError(t, err)
	}
	require.NoError(t, out.Close())
	var most uint64
	count := 0
	for _, err := range calls.Read(recorded(), file) {
		require.NoError(t, err)
		if count++; count%200 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}
	assert.Equal(t, n, count)
	assert.Less(t, most, uint64(16<<20))
}

// Lines that a program writes during the read count, except for an unfinished last one.
func TestSessionFilesThatGrow(t *testing.T) {
	t.Parallel()
	line := func(i int) string {
		return strings.Replace(fmt.Sprintf(claudeText, "x"), "msg_1", fmt.Sprint("msg_", i), 1)
	}
	const n = 3
	file := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(line(0)+line(1)+line(2)), 0o600))
	program, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer program.Close()
	last := line(n + 1)
	grow := sync.OnceFunc(func() {
		_, err := program.WriteString(line(n) + last[:100])
		assert.NoError(t, err)
	})
	count := 0
	var errs []error
	opts := recorded()
	opts.OnRead = func(int) { grow() }
	for _, err := range calls.Read(opts, file) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		count++
	}
	assert.Equal(t, n+1, count)
	require.Len(t, errs, 1)
	require.ErrorContains(t, errs[0], "session.jsonl:5: the end of the line is missing")

	_, err = program.WriteString(last[100:])
	require.NoError(t, err)
	records, errs := collect(calls.Read(recorded(), file))
	assert.Len(t, records, n+2)
	assert.Empty(t, errs)
}

func TestSessionLinesOfOtherVersions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content, old, new string
		records           int
		err               string
	}{
		"no usage":       {claudeText, `"usage"`, `"usages"`, 0, "usage is missing"},
		"empty usage":    {claudeText, `{"input_tokens":10,"output_tokens":5}`, `{}`, 0, "usage is missing"},
		"no time":        {claudeText, `"timestamp"`, `"at"`, 0, "time"},
		"year":           {claudeText, `2026-02`, `0000-02`, 0, "time"},
		"negative":       {claudeText, `:10`, `:-10`, 0, "count of tokens"},
		"fraction":       {codexText, `:10`, `:1.5`, 0, "count of tokens"},
		"text":           {geminiText, `:10`, `"10"`, 0, "JSON"},
		"quoted":         {opencodeText, `:10`, `:"10"`, 1, ""},
		"too large":      {geminiText, `:10`, `:9007199254740993`, 0, "count of tokens"},
		"null":           {opencodeText, `"output":5`, `"output":null`, 1, ""},
		"other kind":     {claudeText, `"assistant"`, `"tomorrow"`, 0, ""},
		"list as a kind": {claudeText, `"assistant"`, `["assistant"]`, 0, ""},
		"boolean":        {claudeText, `"cwd"`, `"isSidechain":"yes","cwd"`, 1, ""},
		"message":        {claudeText, `"message":{`, `"message":7,"more":{`, 0, "usage is missing"},
		"new count":      {claudeText, `"output_tokens"`, `"new_kind_tokens":3,"output_tokens"`, 1, ""},
		"hostile key":    {claudeText, `"output_tokens"`, `"a\"b":3,"output_tokens"`, 1, ""},
		"provider":       {opencodeText, `"anthropic"`, `"My Gateway!"`, 1, ""},
		"no model":       {codexText, `"x"`, `"x"`, 1, ""},
		"more than one":  {claudeText, "}}}\n", "}}} {}\n", 1, "not a JSON object"},
		"array":          {claudeText, "}}}\n", "}}}\n[1]\n", 1, "not a JSON object"},
		"invalid escape": {claudeText, `%s`, `\x`, 0, "not a JSON object"},
		"far future":     {opencodeText, `1767600000000`, `9007199254740992`, 0, "time"},
		"text as a time": {opencodeText, `1767600000000`, `"now"`, 0, "count of tokens"},
		"failed":         {opencodeText, `"time"`, `"error":{},"time"`, 0, ""},
		"zero":           {opencodeText, `"input":10,"output":5`, `"input":0,"output":0`, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, c.content, strings.TrimSuffix(c.old, `"x"`))
			records, errs := readText(t, strings.Replace(c.content, c.old, c.new, 1))
			assert.Len(t, records, c.records)
			if c.err == "" {
				assert.Empty(t, errs)
				for _, r := range records {
					_, err := r.Count(nil, false)
					require.NoError(t, err)
					_, err = json.Marshal(r)
					require.NoError(t, err)
				}
				return
			}
			require.Len(t, errs, 1)
			assert.ErrorContains(t, errs[0], c.err)
		})
	}
}

// Codex's first line has the instructions, which can be longer than one read.
func TestSessionsBeginWithALongLine(t *testing.T) {
	t.Parallel()
	for _, content := range []string{claudeText, codexText, opencodeText} {
		records, errs := readText(t, fmt.Sprintf(content, strings.Repeat("x", 1<<20)))
		assert.Len(t, records, 1)
		assert.Empty(t, errs)
	}
}

func TestFilesOfOtherProgramsAreNotSessions(t *testing.T) {
	t.Parallel()
	for _, content := range []string{`{"a":1}`, `[]`, `{`, "\x00", `{"type":"user"}`, "text\n\n{}", `{"version":2}` + "\n" + `{"x":[`} {
		records, errs := readText(t, content)
		assert.Empty(t, records, content)
		assert.NotEmpty(t, errs, content)
	}
	records, errs := readText(t, "")
	assert.Empty(t, records)
	assert.Empty(t, errs)
}

// fuzzSession checks that a program's files are read without a panic, and that their
// records can be counted and written.
func fuzzSession(f *testing.F, lines string, files ...string) {
	f.Helper()
	f.Add(lines)
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(sessionFiles, file))
		require.NoError(f, err)
		f.Add(string(content))
	}
	first, _, _ := strings.Cut(lines, "\n")
	f.Fuzz(func(t *testing.T, content string) {
		checkFile(t, fileOf(t, content))
		checkFile(t, fileOf(t, first+"\n"+content)) // recognized as this program's
	})
}

// checkFile checks that a file's records can be counted and written.
func checkFile(t *testing.T, path string) {
	t.Helper()
	records, errs := readFile(t, path)
	for _, err := range errs {
		var line *calls.LineError
		require.ErrorAs(t, err, &line)
	}
	for _, r := range records {
		if _, err := r.Count(nil, false); r.Session && err == nil {
			_, err = json.Marshal(r)
			require.NoError(t, err)
		}
	}
}

// FuzzCompressed reads files with zstd's magic number, as Codex writes them.
func FuzzCompressed(f *testing.F) {
	w, err := zstd.NewWriter(nil)
	require.NoError(f, err)
	f.Add(string(w.EncodeAll([]byte(codexText), nil)))
	f.Fuzz(func(t *testing.T, content string) {
		checkFile(t, fileOf(t, "\x28\xb5\x2f\xfd"+strings.TrimPrefix(content, "\x28\xb5\x2f\xfd")))
	})
}

func FuzzClaudeCode(f *testing.F) {
	fuzzSession(f, claudeText, "claude/projects/-home-u-old/aaaaaaaa-0000-4000-8000-000000000001.jsonl")
}

func FuzzCodex(f *testing.F) {
	fuzzSession(f, codexText, "codex/sessions/2025/10/06/rollout-2025-10-06T12-00-00-0199bbbb-0000-7000-8000-000000000001.jsonl")
}

func FuzzGeminiCLI(f *testing.F) {
	fuzzSession(f, geminiText, "gemini/tmp/old/chats/session-2026-01-03T10-00-dddddddd.jsonl", "gemini/tmp/old/chats/session-2026-01-03T10-00-dddddddd.json")
}

func FuzzOpencode(f *testing.F) {
	fuzzSession(f, opencodeText, "opencode/storage/message/ses_old1a/msg_o1a.json")
}

package callsfiles_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

func TestOpenCopiesStdin(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "none") + "/"
	in, err := callsfiles.Open(strings.NewReader("{}"), []string{"-", missing}, false)
	require.NoError(t, err)
	content, err := os.ReadFile(in.Paths[0])
	require.NoError(t, err)
	assert.Equal(t, "{}", string(content))
	assert.Equal(t, missing, in.Paths[1])

	_, err = calls.Sum(calls.Options{}, in.Paths...)
	renamed := in.Rename(err)
	var line *calls.LineError
	require.ErrorAs(t, renamed, &line)
	assert.Equal(t, "-", line.File)
	require.ErrorContains(t, renamed, missing+": no such file or directory")
	other := errors.New("another error")
	assert.Equal(t, other, in.Rename(other))
	require.NoError(t, in.Rename(nil))

	in.Close()
	_, err = os.Stat(in.Paths[0])
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = callsfiles.Open(nil, []string{""}, false)
	require.ErrorContains(t, err, "must not be empty")
}

func TestReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	require.NoError(t, os.MkdirAll(at("calls/more"), 0o700))
	for _, name := range []string{"calls/more/a.jsonl", "calls/note.html", "bill.json", "calls/rollout-1.jsonl.zst", "calls/session-1.json", "calls/msg_1.json", "calls/opencode.db", "calls/config.json"} {
		require.NoError(t, os.WriteFile(at(name), []byte("{}"), 0o600))
	}
	require.NoError(t, os.Link(at("calls/more/a.jsonl"), at("link.html")))
	paths := []string{"-", at("none"), at("calls"), at("bill.json")}
	for name, want := range map[string]bool{
		"bill.json": true, "calls/../bill.json": true, "calls/more/a.jsonl": true, "calls/new.jsonl": true, "calls/more/new.jsonl.gz": true, "link.html": true,
		"calls/rollout-1.jsonl.zst": true, "calls/session-1.json": true, "calls/msg_1.json": true, "calls/opencode.db": true, "calls/more/opencode-dev.db": true,
		"new/session-2.json.gz": true, "calls/config.json": false, "other.db": false,
		"new.jsonl": true, "page.html": false, "calls/page.html": false, "calls/note.html": false,
	} {
		assert.Equal(t, want, callsfiles.Reads(nil, paths, at(name)), name)
	}
	stdin, err := os.Open(at("calls/note.html"))
	require.NoError(t, err)
	defer stdin.Close()
	assert.True(t, callsfiles.Reads(stdin, []string{"-"}, at("calls/note.html")))
	assert.False(t, callsfiles.Reads(stdin, []string{"-"}, at("page.html")))
	assert.False(t, callsfiles.Reads(stdin, nil, at("calls/note.html")), "stdin is not read")
}

// A file without calls has one error. If lines are only counted, the error names the file
// or directory.
func TestRenameOfManyLines(t *testing.T) {
	t.Parallel()
	const call = `{"provider":"openai","model":"m","time":"2026-11-20T12:00:00Z","usage":null,"usd":"1"}` + "\n"
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	bill, nine, torn := file("bill.json", strings.Repeat("{\n", 300)), file("nine.jsonl", strings.Repeat("{\n", 9)+call), file("torn.jsonl", call+strings.Repeat("{\n", 300))
	errorsOf := func(paths ...string) []string {
		in, err := callsfiles.Open(nil, paths, false)
		require.NoError(t, err)
		defer in.Close()
		_, err = calls.Sum(calls.Options{}, in.Paths...)
		return strings.Split(in.Rename(err).Error(), "\n")
	}
	const reason = "a line must be a JSON object with provider, model, time (RFC 3339) and usage"
	first := "calls: " + bill + ":1: none of the first 10 lines is a call: " + reason
	assert.Equal(t, []string{first}, errorsOf(bill))
	assert.Len(t, errorsOf(nine), 9)
	lines := errorsOf(torn)
	assert.Len(t, lines, 101)
	assert.Equal(t, torn+": 200 more lines cannot be read", lines[100])
	lines = errorsOf(bill, torn)
	assert.Equal(t, []string{first, "500 more lines cannot be read"}, lines)
	in := &callsfiles.Files{}
	other := errors.Join(errors.New("another error"))
	assert.Equal(t, other, in.Rename(other))
}

func TestSince(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"2026-11-20-a.jsonl", "2026-11-21-a.jsonl", "2026-11-22-a.jsonl.gz", "2026-11-20-x.txt", "other.jsonl", "2026-13-01.jsonl"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(folder, "2026-01"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(folder, "other.jsonl"), filepath.Join(folder, "link.jsonl")))
	require.NoError(t, os.Symlink(folder, filepath.Join(folder, "loop.jsonl")))
	named := filepath.Join(folder, "2026-11-20-a.jsonl")
	in, err := callsfiles.Open(nil, []string{folder, named, "missing"}, false)
	require.NoError(t, err)
	want := []string{}
	for _, name := range []string{"2026-01", "2026-11-21-a.jsonl", "2026-11-22-a.jsonl.gz", "2026-13-01.jsonl", "link.jsonl", "other.jsonl"} {
		want = append(want, filepath.Join(folder, name))
	}
	at := time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
	assert.Equal(t, append(want, named, "missing"), in.Since(at), "a named file is read, whatever its name")
	assert.Equal(t, in.Paths, in.Since(time.Time{}))
}

// Size must equal the bytes that Sum, Read and report.Read report as read.
func TestSizeIsWhatIsRead(t *testing.T) {
	t.Parallel()
	line := `{"provider":"openai","model":"gpt-5.2","time":"2026-11-21T07:54:15Z","usage":{"prompt_tokens":4,"completion_tokens":1,"total_tokens":5}}` + "\n"
	folder, other := t.TempDir(), t.TempDir()
	write := func(content []byte, path ...string) string {
		name := filepath.Join(path...)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, content, 0o600))
		return name
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(strings.Repeat(line, 10_000)))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	write([]byte(strings.Repeat(line, 5000)), folder, "2026-11-21.jsonl")
	write(packed.Bytes(), folder, "more", "2026-11-20.jsonl.gz")
	require.NoError(t, os.Symlink(write([]byte(line), folder, "notes.txt"), filepath.Join(folder, "link.jsonl")))
	require.NoError(t, os.Symlink(write([]byte(line), other, "linked.jsonl"), filepath.Join(folder, "outside.jsonl")))
	require.NoError(t, os.Symlink(folder, filepath.Join(other, "folder")))
	named := write([]byte(line), other, "calls.txt")

	in, err := callsfiles.Open(strings.NewReader(line), []string{filepath.Join(other, "folder"), named, "-", filepath.Join(other, "missing")}, false)
	require.NoError(t, err)
	defer in.Close()
	assert.EqualValues(t, 5003*len(line)+packed.Len(), in.Size())
	for name, read := range map[string]func(onRead func(int)){
		"Sum": func(onRead func(int)) { _, _ = calls.Sum(calls.Options{OnRead: onRead}, in.Paths...) },
		"Read": func(onRead func(int)) {
			calls.Read(calls.Options{OnRead: onRead}, in.Paths...)(func(calls.Record, error) bool { return true })
		},
		"report.Read": func(onRead func(int)) { _, _ = report.Read(report.Options{OnRead: onRead}, in.Paths...) },
	} {
		sum := 0
		read(func(bytes int) { sum += bytes })
		assert.EqualValues(t, in.Size(), sum, name)
	}
}

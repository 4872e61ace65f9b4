package callsfiles_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/report"
)

// TestSizeIsWhatIsRead checks that the size of files is what Sum, Read and report.Read report that they read.
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
	write([]byte(line), folder, "notes.txt")
	linked := write([]byte(line), other, "linked.jsonl")
	require.NoError(t, os.Symlink(linked, filepath.Join(folder, "link.jsonl")))
	require.NoError(t, os.Symlink(folder, filepath.Join(other, "folder")))
	named := write([]byte(line), other, "calls.txt")

	in, err := callsfiles.Open(strings.NewReader(line), []string{filepath.Join(other, "folder"), named, "-", filepath.Join(other, "missing")})
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

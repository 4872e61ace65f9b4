package callsfiles_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
)

func TestReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	require.NoError(t, os.MkdirAll(at("calls/more"), 0o700))
	for _, name := range []string{"calls/more/a.jsonl", "calls/note.html", "bill.json"} {
		require.NoError(t, os.WriteFile(at(name), []byte("{}"), 0o600))
	}
	require.NoError(t, os.Link(at("calls/more/a.jsonl"), at("link.html")))
	paths := []string{"-", at("none"), at("calls"), at("bill.json")}
	for name, want := range map[string]bool{
		"bill.json": true, "calls/../bill.json": true, "calls/more/a.jsonl": true, "calls/new.jsonl": true, "calls/more/new.jsonl.gz": true, "link.html": true,
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

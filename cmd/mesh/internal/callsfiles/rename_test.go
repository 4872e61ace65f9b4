package callsfiles_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// A file without calls has one error, and lines that are only counted have the name of the file or folder.
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
		in, err := callsfiles.Open(nil, paths)
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

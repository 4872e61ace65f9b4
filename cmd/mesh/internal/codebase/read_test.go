package codebase_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
)

func TestEachKeepsTheOrder(t *testing.T) {
	t.Parallel()
	var list []codebase.File
	for i := range 1000 {
		list = append(list, codebase.File{Path: strings.Repeat("x", i)})
	}
	text := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text, []byte("five\n"), 0o600))
	list = append(list, codebase.File{Path: text}, codebase.File{Path: filepath.Dir(text)})
	var readers, done atomic.Int64
	lengths := codebase.Each(list, &done, func() func(codebase.File) int {
		readers.Add(1)
		return func(f codebase.File) int { return len(f.Path) }
	})
	for i, length := range lengths {
		assert.Len(t, list[i].Path, length)
	}
	assert.EqualValues(t, 5, done.Load(), "what cannot be read has no size")
	assert.EqualValues(t, 5, codebase.Size(list))
	assert.Positive(t, readers.Load())
	assert.Empty(t, codebase.Each(nil, &done, func() func(codebase.File) int { return nil }))
}

func TestReadText(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "file")
	for content, isText := range map[string]bool{
		"": true, "x": true, strings.Repeat("x", 9000): true, strings.Repeat("x", 8000) + "\x00": true, strings.Repeat("x", 7999) + "\x00y": false, "\x00": false,
		"\x00" + strings.Repeat("x", 9000): false,
	} {
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
		text, is, err := codebase.File{Path: name, Named: true}.ReadText()
		require.NoError(t, err)
		assert.Equal(t, content, text)
		assert.Equal(t, isText, is)
		text, is, err = codebase.File{Path: name}.ReadText()
		require.NoError(t, err)
		assert.Equal(t, isText, is)
		assert.True(t, !isText || text == content)
	}
	_, _, err := codebase.File{Path: name + "x"}.ReadText()
	require.ErrorIs(t, err, os.ErrNotExist)
}

package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/source"
)

func TestEachKeepsTheOrder(t *testing.T) {
	t.Parallel()
	var files []source.File
	for i := range 1000 {
		files = append(files, source.File{Path: strings.Repeat("x", i)})
	}
	text := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text, []byte("five\n"), 0o600))
	files = append(files, source.File{Path: text}, source.File{Path: filepath.Dir(text)})
	var readers, done atomic.Int64
	lengths := source.Each(files, &done, func() func(source.File) int {
		readers.Add(1)
		return func(f source.File) int { return len(f.Path) }
	})
	for i, length := range lengths {
		assert.Len(t, files[i].Path, length)
	}
	assert.EqualValues(t, 5, done.Load(), "what cannot be read has no size")
	assert.EqualValues(t, 5, source.Size(files))
	assert.Positive(t, readers.Load())
	assert.Empty(t, source.Each(nil, &done, func() func(source.File) int { return nil }))
}

func TestReadText(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "file")
	for content, isText := range map[string]bool{
		"": true, "x": true, strings.Repeat("x", 9000): true, strings.Repeat("x", 8000) + "\x00": true, strings.Repeat("x", 7999) + "\x00y": false, "\x00": false,
		"\x00" + strings.Repeat("x", 9000): false,
	} {
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
		text, is, err := source.File{Path: name, Named: true}.ReadText()
		require.NoError(t, err)
		assert.Equal(t, content, text)
		assert.Equal(t, isText, is)
		text, is, err = source.File{Path: name}.ReadText()
		require.NoError(t, err)
		assert.Equal(t, isText, is)
		assert.True(t, !isText || text == content)
	}
	_, _, err := source.File{Path: name + "x"}.ReadText()
	require.ErrorIs(t, err, os.ErrNotExist)
}

package meter

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGunzipUnpacksEachPieceAtOnce(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	var plain strings.Builder
	g := newGunzip(func(p []byte) { plain.Write(p) })
	defer g.Close()
	for _, text := range []string{"first", strings.Repeat(" second", 10_000)} {
		_, err := io.WriteString(w, text)
		require.NoError(t, err)
		require.NoError(t, w.Flush())
		for _, c := range packed.Bytes() {
			g.Write([]byte{c})
		}
		packed.Reset()
		assert.True(t, strings.HasSuffix(plain.String(), text))
	}
	require.NoError(t, w.Close())
	g.Write(packed.Bytes())
	assert.Len(t, plain.String(), 5+7*10_000)
	g.Write([]byte("more"))
	g.Close()
	g.Close()
}

func TestGunzipReportsWhatIsNotGzip(t *testing.T) {
	t.Parallel()
	g := newGunzip(func(p []byte) { assert.Empty(t, p) })
	g.Write([]byte(`{"id":1} is not gzip`))
	g.Write([]byte("more"))
	g.Close()
	assert.ErrorIs(t, g.err, errNotGzip)
}

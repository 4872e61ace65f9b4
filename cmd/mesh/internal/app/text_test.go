package app

import (
	"bytes"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// typist types a line after a minute.
type typist struct{ text io.Reader }

func (p typist) Read(b []byte) (int, error) {
	time.Sleep(time.Minute)
	return p.text.Read(b)
}

func TestTypingIsNoWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var terminal bytes.Buffer
		a := App{In: typist{bytes.NewBufferString("hello\n")}, Progress: output.Progress{W: &terminal}}
		a.Progress.Start()
		text, err := a.Text("-")
		a.Progress.Stop()
		require.NoError(t, err)
		assert.Equal(t, "hello", text)
		assert.Empty(t, terminal.String())
	})
}

func TestTextIsBounded(t *testing.T) {
	t.Parallel()
	endless := App{In: io.MultiReader(bytes.NewReader(make([]byte, maxText+1)), typist{})}
	_, err := endless.Text("-")
	require.ErrorContains(t, err, "stdin has more than 1048576 bytes")
	assert.Equal(t, exit.Usage, exit.Code(err))
}

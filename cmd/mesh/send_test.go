package main

import (
	"bytes"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// typist is a person who types a line after some time.
type typist struct{ text io.Reader }

func (p typist) Read(b []byte) (int, error) {
	time.Sleep(time.Minute)
	return p.text.Read(b)
}

func TestTypingIsNoWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var terminal bytes.Buffer
		a := app{in: typist{bytes.NewBufferString("hello\n")}, progress: output.Progress{W: &terminal}}
		a.progress.Start()
		text, err := a.text("-")
		a.progress.Stop()
		require.NoError(t, err)
		assert.Equal(t, "hello", text)
		assert.Empty(t, terminal.String())
	})
}

func TestTextIsBounded(t *testing.T) {
	t.Parallel()
	endless := app{in: io.MultiReader(bytes.NewReader(make([]byte, maxText+1)), typist{})}
	_, err := endless.text("-")
	require.ErrorContains(t, err, "stdin has more than 1048576 bytes")
	assert.Equal(t, exitUsage, exitCode(err))
}

package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClosedPipeEndsQuietly(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, reader.Close())
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "mesh", "prices")
	cmd.Stdout, cmd.Stderr = writer, &stderr
	require.Error(t, cmd.Run(), "there is no reader")
	require.NoError(t, writer.Close())
	assert.NotContains(t, stderr.String(), "goroutine")
	assert.NotContains(t, stderr.String(), "panic")
}

package main

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// serve can't pass on SIGKILL, but its command must end, too.
func TestACommandEndsWithServe(t *testing.T) {
	t.Parallel()
	g, listener := newGatewayForTest(t), blocker(t)
	g.Store("node-b", "node-a", "question", "one")
	p := startProcess(t, command(t, g, "serve", "--", "handler", "block", listener.Addr().String()))
	conn, err := listener.Accept()
	require.NoError(t, err)
	require.NoError(t, p.Process.Kill())
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(processTime)))
	_, err = conn.Read(make([]byte, 1))
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the handler is gone")
	_ = p.Wait() // it was killed
}

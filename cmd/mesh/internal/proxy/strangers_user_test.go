package proxy

import (
	"net"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

// Other users' connections push out only their own oldest ones, never ours.
func TestStrangersDoNotPushOurConnectionsOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ours, program := net.Pipe()
		s := strangers{known: map[net.Conn]bool{}, ours: func(c net.Conn) bool { return c == ours }}
		s.add(ours)
		var others []net.Conn
		for range 3 * maxStrangers {
			conn, other := net.Pipe()
			s.add(conn)
			others = append(others, other)
		}
		go func() { _, _ = program.Write([]byte("x")) }()
		_, err := ours.Read(make([]byte, 1))
		assert.NoError(t, err)
		_, err = others[0].Write([]byte("x"))
		assert.Error(t, err)
		assert.True(t, s.remove(ours))
		assert.False(t, s.remove(ours))
		assert.Len(t, s.conns, maxStrangers)
	})
}

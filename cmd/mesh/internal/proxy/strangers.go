package proxy

import (
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// maxStrangers and patience bound the connections that have not shown the secret: other users of the machine could use up the files that
// the process may open.
const (
	maxStrangers = 64
	patience     = 5 * time.Second
)

// strangers are the connections on which no request had the secret, the oldest first.
type strangers struct {
	mu    sync.Mutex
	conns []net.Conn
}

// watch adds the new connections of a server.
func (s *strangers) watch(server *http.Server) {
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.add(conn)
		case http.StateClosed, http.StateHijacked:
			s.remove(conn)
		default:
		}
	}
}

// add adds a connection, which may show the secret in time. If there are too many, the oldest ends.
func (s *strangers) add(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) == maxStrangers {
		_ = s.conns[0].Close()
		s.conns = s.conns[1:]
	}
	s.conns = append(s.conns, conn)
	time.AfterFunc(patience, func() {
		if s.remove(conn) {
			_ = conn.Close()
		}
	})
}

// remove removes a connection that has ended or shown the secret, and reports whether it was there.
func (s *strangers) remove(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.conns)
	s.conns = slices.DeleteFunc(s.conns, func(c net.Conn) bool { return c == conn })
	return len(s.conns) < before
}

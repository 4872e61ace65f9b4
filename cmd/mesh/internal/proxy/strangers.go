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

// admit lets the connection of a request that has the secret stay.
func (s *strangers) admit(r *http.Request) {
	s.remove(connOf(r))
}

// remove removes a connection, and reports whether it was there.
func (s *strangers) remove(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.conns, conn)
	if i < 0 {
		return false
	}
	s.conns = slices.Delete(s.conns, i, i+1)
	return true
}

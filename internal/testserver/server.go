// Package testserver is the base of the servers for users' tests. Packages gatewaytest
// and discoverytest imitate different APIs, but share recording, faults and shutdown.
//
//	s := testserver.New(record) // record turns an *http.Request into the package's own Request
//	mux.HandleFunc("GET /things", s.Handle(ListThings, listThings))
//	url, err := s.Listen("", mux)
//	s.Fail(ListThings, testserver.Fault{Status: 503})
//	s.Requests(ListThings)
//
// Operations and requests are type parameters, so that one API's operation can't be
// passed to another API's server. Programs use these servers, too, so the package doesn't
// import net/http/httptest, which imports package testing since Go 1.27.
package testserver

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
)

// Server is a local server with operations of type Op, and recorded requests of type R.
// It may be used concurrently.
type Server[Op ~string, R any] struct {
	record    func(Op, *http.Request, []byte) R
	server    http.Server
	closing   chan struct{}
	closeOnce sync.Once
	unused    sync.Map // connections that have no request yet

	mu         sync.Mutex
	operations []Op
	faults     []*plannedFault[Op]
	choose     func(R) *Fault
	noLog      bool
	requests   []recorded[Op, R]
}

type recorded[Op ~string, R any] struct {
	op      Op
	request R
}

// New returns a server that doesn't listen yet. record makes the values for
// [Server.Requests] and must not store secrets in printable form.
func New[Op ~string, R any](record func(op Op, r *http.Request, body []byte) R) *Server[Op, R] {
	return &Server[Op, R]{record: record, closing: make(chan struct{})}
}

// Listen listens on addr and returns the URL. If addr is "", it picks a free loopback
// port.
func (s *Server[Op, R]) Listen(addr string, handler http.Handler) (string, error) {
	listener, err := net.Listen("tcp", cmp.Or(addr, "127.0.0.1:0")) //nolint:noctx // a listener opens at once
	if err != nil {
		return "", err
	}
	s.server.Handler, s.server.ConnState = handler, s.track
	go func() { _ = s.server.Serve(listener) }()
	return "http://" + listener.Addr().String(), nil
}

// track remembers connections without a request, because Shutdown waits five seconds for
// each. A connection that arrives during Close is closed here or there.
func (s *Server[Op, R]) track(conn net.Conn, state http.ConnState) {
	if state != http.StateNew {
		s.unused.Delete(conn)
		return
	}
	s.unused.Store(conn, nil)
	select {
	case <-s.closing:
		_ = conn.Close()
	default:
	}
}

// Close stops the server, ends delayed responses and waits for requests in progress. A
// second Close does nothing.
func (s *Server[Op, R]) Close() {
	s.closeOnce.Do(func() {
		close(s.closing)
		for conn := range s.unused.Range {
			_ = conn.(net.Conn).Close()
		}
		_ = s.server.Shutdown(context.Background())
	})
}

// Handle returns a handler that records requests. It answers with a planned fault, or
// else with run.
func (s *Server[Op, R]) Handle(op Op, run func(*http.Request) Response) http.HandlerFunc {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.operations, op) { // an operation may have more than one path
		s.operations = append(s.operations, op)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has disconnected
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		request := s.record(op, r, body)
		s.add(op, request)
		fault := s.nextFault(op, request)
		if fault == nil {
			run(r).write(w)
			return
		}
		if fault.AfterEvents > 0 {
			s.interrupt(w, r, run(r), fault)
			return
		}
		if fault.AfterEffect {
			run(r)
		}
		if !s.wait(r, fault.Delay) {
			panic(http.ErrAbortHandler) // the client has disconnected or the server is closing
		}
		if fault.onlyDelay() {
			run(r).write(s.slowed(w, r, fault))
			return
		}
		fault.write(w)
	}
}

// Requests returns the recorded requests, oldest first, optionally only for some
// operations.
func (s *Server[Op, R]) Requests(ops ...Op) []R {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []R
	for _, r := range s.requests {
		if len(ops) == 0 || slices.Contains(ops, r.op) {
			found = append(found, r.request)
		}
	}
	return found
}

// ForgetRequests clears the recorded requests.
func (s *Server[Op, R]) ForgetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// DisableLog stops recording requests.
func (s *Server[Op, R]) DisableLog() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noLog = true
}

func (s *Server[Op, R]) add(op Op, request R) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.noLog {
		s.requests = append(s.requests, recorded[Op, R]{op, request})
	}
}

// Package testserver is the common part of the servers that users run in their tests. Packages gatewaytest and discoverytest
// imitate different APIs; recording, faults and shutdown are the same.
//
//	s := testserver.New(record) // record turns an *http.Request into the package's own Request
//	mux.HandleFunc("GET /things", s.Handle(ListThings, listThings))
//	url := s.Start(mux)
//	s.Fail(ListThings, testserver.Fault{Status: 503})
//	s.Requests(ListThings)
//
// The types of operations and requests are type parameters, so that an operation of one API cannot be passed to the server of
// another. The servers also run in programs, so the package does not use net/http/httptest, which imports package testing since
// Go 1.27.
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

// Server is a local server whose operations are of type Op and whose recorded requests are of type R. It is safe for
// concurrent use.
type Server[Op ~string, R any] struct {
	record    func(Op, *http.Request, []byte) R
	server    http.Server
	closing   chan struct{}
	closeOnce sync.Once
	unused    sync.Map // connections without a request

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

// New returns a server that does not listen yet. record makes the values of [Server.Requests]; it must not keep a secret in
// printable form.
func New[Op ~string, R any](record func(op Op, r *http.Request, body []byte) R) *Server[Op, R] {
	return &Server[Op, R]{record: record, closing: make(chan struct{})}
}

// Start is Listen at a free port of the loopback interface. It panics if it cannot listen.
func (s *Server[Op, R]) Start(handler http.Handler) string {
	url, err := s.Listen("", handler)
	if err != nil {
		panic(err)
	}
	return url
}

// Listen listens on addr and returns the URL. With an empty addr it takes a free port of the loopback interface.
func (s *Server[Op, R]) Listen(addr string, handler http.Handler) (string, error) {
	listener, err := net.Listen("tcp", cmp.Or(addr, "127.0.0.1:0")) //nolint:noctx // Start has no context, and a listener opens at once
	if err != nil {
		return "", err
	}
	s.server.Handler, s.server.ConnState = handler, s.track
	go func() { _ = s.server.Serve(listener) }()
	return "http://" + listener.Addr().String(), nil
}

// track keeps the connections without a request, since Shutdown waits five seconds for each. One that arrives during Close is
// closed by track or by Close.
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

// Close stops the server, ends delayed answers and waits for requests in progress. A second Close does nothing.
func (s *Server[Op, R]) Close() {
	s.closeOnce.Do(func() {
		close(s.closing)
		for conn := range s.unused.Range {
			_ = conn.(net.Conn).Close()
		}
		_ = s.server.Shutdown(context.Background())
	})
}

// Handle returns a handler that records a request and answers it with a planned fault or else with run.
func (s *Server[Op, R]) Handle(op Op, run func(*http.Request) Answer) http.HandlerFunc {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.operations, op) { // an operation may have several paths
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
			panic(http.ErrAbortHandler) // the client has disconnected, or the server closes
		}
		if fault.onlyDelay() {
			run(r).write(s.slowed(w, r, fault))
			return
		}
		fault.write(w)
	}
}

// Requests returns the requests that have arrived, oldest first: all of them, or those of the given operations.
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

// ForgetRequests removes the requests that have arrived.
func (s *Server[Op, R]) ForgetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// DisableLog keeps no requests from now on.
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

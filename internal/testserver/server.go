// Package testserver is what the servers for users' tests have in common: gatewaytest and discoverytest play different
// APIs, and fail, record and close alike.
//
//	s := testserver.New(record) // record turns a request into the package's own Request
//	mux.HandleFunc("GET /things", s.Handle(ListThings, listThings))
//	url := s.Start(mux)
//	s.Fail(ListThings, testserver.Fault{Status: 503})
//	s.Requests(ListThings)
//
// Each package has an Operation and a Request of its own, so that an operation of one cannot be planned to fail on the
// other.
package testserver

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
)

// Server is a local server whose operations are of type Op and whose recorded requests are of type R. It is safe for
// concurrent use.
type Server[Op ~string, R any] struct {
	record    func(Op, *http.Request, []byte) R
	server    *httptest.Server
	closing   chan struct{}
	closeOnce sync.Once

	mu         sync.Mutex
	operations []Op
	faults     []*plannedFault[Op]
	choose     func(R) *Fault
	requests   []recorded[Op, R]
}

type recorded[Op ~string, R any] struct {
	op      Op
	request R
}

// New makes a server that does not listen yet. record makes what [Server.Requests] returns; it must not keep a secret in
// printable form.
func New[Op ~string, R any](record func(op Op, r *http.Request, body []byte) R) *Server[Op, R] {
	return &Server[Op, R]{record: record, closing: make(chan struct{})}
}

// Start listens on a local port and returns the URL. It panics when there is no port.
func (s *Server[Op, R]) Start(handler http.Handler) string {
	s.server = httptest.NewServer(handler)
	return s.server.URL
}

// Close stops the server, ends delayed answers and waits for requests under way. A second Close does nothing.
func (s *Server[Op, R]) Close() {
	s.closeOnce.Do(func() {
		close(s.closing)
		s.server.Close()
	})
}

// Handle records a request, lets a planned fault have its way, and otherwise answers with run.
func (s *Server[Op, R]) Handle(op Op, run func(*http.Request) Answer) http.HandlerFunc {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.operations = append(s.operations, op)
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		request := s.record(op, r, body)
		s.add(op, request)
		fault := s.nextFault(op, request)
		if fault == nil {
			run(r).write(w)
			return
		}
		if fault.AfterEffect {
			run(r)
		}
		if !s.wait(r, fault.Delay) {
			panic(http.ErrAbortHandler) // nobody is waiting for the answer
		}
		if fault.onlyLate() {
			run(r).write(w)
			return
		}
		fault.write(w)
	}
}

// Requests returns what has arrived so far, oldest first: everything, or the given operations alone.
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

// ForgetRequests forgets what has arrived so far: Requests begins anew.
func (s *Server[Op, R]) ForgetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

func (s *Server[Op, R]) add(op Op, request R) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, recorded[Op, R]{op, request})
}

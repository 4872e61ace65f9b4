package testserver

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Fault describes how an operation fails. Fields can be combined: a delayed 503, or
// garbage in a body that breaks off.
type Fault struct {
	// Times is the number of failing requests. 0 means 1, and a negative number means
	// all.
	Times int
	// Delay is the time before the response. It ends early if the client disconnects or the
	// server closes. If nothing else is set, the usual response follows.
	Delay time.Duration
	// BytesPerSecond limits the usual response's body rate, as on a slow link. 0 means no
	// limit. The header isn't delayed.
	BytesPerSecond int
	// HangUp closes the connection instead of answering. If Body is set, it first sends
	// the status, header and Body, and closes one byte before the announced length.
	HangUp bool
	// AfterEffect lets the request take effect, so that only its response is replaced.
	AfterEffect bool
	// AfterEvents sends this many events from a streamed response first. For the remaining
	// events, HangUp breaks the connection off, Body replaces them, and Delay delays them.
	// If none of these is set, they are dropped. Status, Header and AfterEffect are ignored.
	// A response that isn't streamed isn't changed.
	AfterEvents int
	// Status, Header and Body are the response. Status 0 means 200, and the default
	// Content-Type is text/plain.
	Status int
	Header http.Header
	Body   string
}

type plannedFault[Op ~string] struct {
	op    Op
	fault Fault
	left  int // negative means forever
}

// Fail makes an operation fail. Several faults for one operation occur in the order of
// the Fail calls. Fail panics if the operation is unknown or the status is invalid: a
// test whose fault never occurs proves nothing.
func (s *Server[Op, R]) Fail(op Op, fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.operations, op) {
		named := slices.DeleteFunc(slices.Clone(s.operations), func(op Op) bool { return op == "" }) // "" stands for all other paths
		panic(fmt.Sprintf("Fail: unknown operation %q, want one of %q", op, named))
	}
	if fault.Status != 0 && (fault.Status < 100 || fault.Status > 999) {
		panic(fmt.Sprintf("Fail: invalid status %d", fault.Status))
	}
	s.faults = append(s.faults, &plannedFault[Op]{op: op, fault: fault, left: cmp.Or(fault.Times, 1)})
}

// FailIf calls choose for every request that has no planned fault. If choose returns nil,
// the usual response follows. Fault.Times is ignored. choose must be safe for concurrent
// use. A second FailIf replaces the first.
func (s *Server[Op, R]) FailIf(choose func(R) *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.choose = choose
}

// Heal removes pending faults and FailIf's function.
func (s *Server[Op, R]) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults, s.choose = nil, nil
}

func (s *Server[Op, R]) nextFault(op Op, request R) *Fault {
	fault, choose := s.planned(op)
	if choose != nil {
		return choose(request) // unlocked, so that choose may use the server
	}
	return fault
}

// planned takes the operation's next fault. If there isn't one, it returns FailIf's
// function.
func (s *Server[Op, R]) planned(op Op) (*Fault, func(R) *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.faults, func(p *plannedFault[Op]) bool { return p.op == op })
	if i < 0 {
		return nil, s.choose
	}
	p := s.faults[i]
	if p.left > 0 {
		p.left--
	}
	if p.left == 0 {
		s.faults = slices.Delete(s.faults, i, i+1)
	}
	return &p.fault, nil
}

// wait reports whether the client is still connected after d.
func (s *Server[Op, R]) wait(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	case <-s.closing:
		return false
	}
}

// interrupt sends the first events, and then the fault.
func (s *Server[Op, R]) interrupt(w http.ResponseWriter, r *http.Request, response Response, fault *Fault) {
	n := min(fault.AfterEvents, len(response.Events))
	others := response.Events[n:]
	response.Events = response.Events[:n]
	response.write(w)
	if n == 0 {
		return // not a stream
	}
	switch {
	case !s.wait(r, fault.Delay):
		panic(http.ErrAbortHandler)
	case fault.HangUp || fault.Body != "":
		stream(w, []string{fault.Body})
	case fault.Delay > 0:
		stream(w, others)
	}
	if fault.HangUp {
		panic(http.ErrAbortHandler)
	}
}

// slowLink limits a body's rate. It sleeps without a context, so that tests can run
// in virtual time.
type slowLink struct {
	http.ResponseWriter

	rate   int
	ending func() bool
}

// slowSteps is the number of writes per second.
const slowSteps = 20

func (l slowLink) Write(body []byte) (written int, err error) {
	for part := range slices.Chunk(body, max(1, l.rate/slowSteps)) {
		if l.ending() || http.NewResponseController(l.ResponseWriter).Flush() != nil {
			return written, http.ErrAbortHandler
		}
		time.Sleep(time.Second * time.Duration(len(part)) / time.Duration(l.rate)) //nolint:forbidigo // see slowLink
		n, err := l.ResponseWriter.Write(part)
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

func (s *Server[Op, R]) slowed(w http.ResponseWriter, r *http.Request, fault *Fault) http.ResponseWriter {
	if fault.BytesPerSecond == 0 {
		return w
	}
	return slowLink{w, fault.BytesPerSecond, func() bool { return r.Context().Err() != nil || isClosed(s.closing) }}
}

func isClosed(closing chan struct{}) bool {
	select {
	case <-closing:
		return true
	default:
		return false
	}
}

func (f *Fault) onlyDelay() bool {
	return (f.Delay > 0 || f.BytesPerSecond > 0) && !f.HangUp && !f.AfterEffect && f.Status == 0 && f.Header == nil && f.Body == ""
}

func (f *Fault) write(w http.ResponseWriter) {
	if f.HangUp && f.Body == "" {
		hangUp(w)
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	for name, values := range f.Header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	if f.HangUp {
		w.Header().Set("Content-Length", strconv.Itoa(len(f.Body)+1))
	}
	w.WriteHeader(cmp.Or(f.Status, http.StatusOK))
	_, _ = w.Write([]byte(f.Body))
	if f.HangUp {
		_ = http.NewResponseController(w).Flush() // otherwise the client would receive nothing
		panic(http.ErrAbortHandler)
	}
}

// hangUp closes the connection after a status line that no client accepts. Without that
// line net/http would resend a GET on a reused connection, and the test would miss the
// fault.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_, _ = conn.Write([]byte("HTTP/1.1 500 Internal Server Error\r\n"))
		_ = conn.Close()
	}
	panic(http.ErrAbortHandler)
}

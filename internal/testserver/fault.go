package testserver

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Fault is one way for an operation to fail. Its parts combine: a delayed 503, garbage that breaks off.
type Fault struct {
	// Times is how often it happens; 0 means once, a negative number means from now on.
	Times int
	// Delay passes before the answer. It ends early when the client goes or the server closes. A Fault with nothing but a
	// Delay is slow and fine: the usual answer comes, late.
	Delay time.Duration
	// HangUp closes the connection: instead of an answer, or, when Body is set, after the status, the headers and Body,
	// one byte before the announced end.
	HangUp bool
	// AfterEffect lets the request take effect before everything else, so that only its answer is lost.
	AfterEffect bool
	// Status, Header and Body are the answer; 0 means 200. Without a Content-Type in Header it is text/plain.
	Status int
	Header http.Header
	Body   string
}

type plannedFault[Op ~string] struct {
	op    Op
	fault Fault
	left  int // negative: without end
}

// Fail makes an operation fail. Faults of one operation happen in the order they were planned. An operation that the server
// does not have panics: its fault would never happen, and a test of it would prove nothing. So does a status that is none.
func (s *Server[Op, R]) Fail(op Op, fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.operations, op) {
		named := slices.DeleteFunc(slices.Clone(s.operations), func(op Op) bool { return op == "" }) // "" is every other path
		panic(fmt.Sprintf("Fail: there is no operation %q, only %q", op, named))
	}
	if fault.Status != 0 && (fault.Status < 100 || fault.Status > 999) {
		panic(fmt.Sprintf("Fail: %d is not a status", fault.Status))
	}
	s.faults = append(s.faults, &plannedFault[Op]{op: op, fault: fault, left: cmp.Or(fault.Times, 1)})
}

// FailIf asks choose about every request that no planned fault is for; nil lets it be answered as usual. Of the fault, Times
// is not looked at. Requests that come at once ask at once. A second FailIf takes the place of the first.
func (s *Server[Op, R]) FailIf(choose func(R) *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.choose = choose
}

// Heal forgets the faults that have not happened yet, and what FailIf was given.
func (s *Server[Op, R]) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults, s.choose = nil, nil
}

func (s *Server[Op, R]) nextFault(op Op, request R) *Fault {
	fault, choose := s.planned(op)
	if choose != nil {
		return choose(request) // without the lock, so that it may call the server
	}
	return fault
}

// planned returns the next planned fault, or else whom to ask.
func (s *Server[Op, R]) planned(op Op) (*Fault, func(R) *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.faults {
		if p.op != op || p.left == 0 {
			continue
		}
		if p.left > 0 {
			p.left--
		}
		return &p.fault, nil
	}
	return nil, s.choose
}

// wait reports whether the time has passed with the client still there.
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

// onlyLate reports whether the usual answer is to come.
func (f *Fault) onlyLate() bool {
	return f.Delay > 0 && !f.HangUp && !f.AfterEffect && f.Status == 0 && f.Header == nil && f.Body == ""
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
		_ = http.NewResponseController(w).Flush() // else the client would see nothing of the answer
		panic(http.ErrAbortHandler)
	}
}

// hangUp closes the connection after the first line of an answer, which no client takes for one. Without that line
// net/http would send a GET again by itself if the connection had been used before, and the fault would go unseen.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_, _ = conn.Write([]byte("HTTP/1.1 500 Internal Server Error\r\n"))
		_ = conn.Close()
	}
	panic(http.ErrAbortHandler)
}

package soak_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// faultInjector makes one request in ten fail. Which one, and how, depends on the seed,
// the request's subject and how often that subject came before, but not on the order in
// which requests arrive.
type faultInjector struct {
	seed uint64

	mu       sync.Mutex
	hang     bool              // every MarkRead gets no answer
	database int               // each database counts its subjects anew
	earlier  map[string]uint64 // subject -> requests
	counts   faultCounts
}

type faultCounts struct {
	// Requests counts all requests, Failed only those with a fault, and Faults the faults
	// by kind.
	Requests, Failed map[gatewaytest.Operation]int
	Faults           map[string]int
	// AfterEffect counts faults that follow the request's effect, Unreadable those that
	// answer a send with 2xx, Cut those that closed the connection.
	AfterEffect, Unreadable, Cut int
}

func newFaultInjector(seed uint64) *faultInjector {
	return &faultInjector{seed: seed, earlier: make(map[string]uint64), counts: faultCounts{
		Requests: make(map[gatewaytest.Operation]int), Failed: make(map[gatewaytest.Operation]int), Faults: make(map[string]int),
	}}
}

// share is in percent, and small for slow faults. A 2xx means that the effect has
// happened, so a 2xx fault always follows it.
type faultKind struct {
	name  string
	share int
	fault gatewaytest.Fault
}

var (
	noAnswer   = faultKind{"no answer", 3, gatewaytest.Fault{Delay: time.Hour}} // the client's timeout ends it
	slow       = faultKind{"slow", 8, gatewaytest.Fault{Delay: 20 * time.Millisecond}}
	empty      = faultKind{"200 without a body", 8, gatewaytest.Fault{Status: 200, AfterEffect: true}}
	truncated  = faultKind{"200 that breaks off", 9, gatewaytest.Fault{Status: 200, Body: `{"id": 1, "from_`, HangUp: true, AfterEffect: true}}
	notJSON    = faultKind{"200 without JSON", 6, gatewaytest.Fault{Status: 200, Body: "<html>welcome", AfterEffect: true}}
	faultKinds = []faultKind{
		{"hang-up", 12, gatewaytest.Fault{HangUp: true}},
		{"429", 10, gatewaytest.Fault{Status: 429, Header: http.Header{"Retry-After": {"0"}}}},
		{"429 for a second", 4, gatewaytest.Fault{Status: 429, Header: http.Header{"Retry-After": {"1"}}, Body: "slow down"}},
		{"502 in HTML", 10, gatewaytest.Fault{Status: 502, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>bad gateway"}},
		{"503", 10, gatewaytest.Fault{Status: 503}},
		{"503 that breaks off", 10, gatewaytest.Fault{Status: 503, Body: "over", HangUp: true}},
		{"504", 10, gatewaytest.Fault{Status: 504, Body: "gateway timeout"}},
		// The kinds above are refusals: immediate, with no sign of success.
		noAnswer,
		truncated,
		notJSON,
		empty,
		slow,
	}
)

const (
	refusalShares = 66
	allShares     = 100
)

// faultAt returns the kind that share n belongs to.
func faultAt(n int) faultKind {
	for _, k := range faultKinds {
		if n -= k.share; n < 0 {
			return k
		}
	}
	panic("the shares don't add up to 100")
}

// choose is for Gateway.FailIf.
func (f *faultInjector) choose(r gatewaytest.Request) *gatewaytest.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	about := fmt.Sprint(f.database, " ", subject(r))
	k := f.faultFor(r.Operation, about, f.earlier[about])
	if f.hang && r.Operation == gatewaytest.MarkMessageRead {
		k = &noAnswer
	} else {
		f.earlier[about]++
	}
	f.counts.Requests[r.Operation]++
	if k == nil {
		return nil
	}
	f.counts.add(r.Operation, k)
	fault := k.fault
	if fault.Status != 0 {
		fault.Header = http.Header{requestID: {k.name}}
		maps.Copy(fault.Header, k.fault.Header)
	}
	return &fault
}

// requestID is a header that tells the client which fault it gets, so the ledger knows
// what each error must be.
const requestID = "X-Request-Id"

// hangMarks makes every MarkRead hang until the next database.
func (f *faultInjector) hangMarks() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hang = true
}

func (f *faultInjector) nextDatabase() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.database++
	f.hang = false
}

func (c *faultCounts) add(op gatewaytest.Operation, k *faultKind) {
	c.Faults[k.name]++
	if k.name != slow.name {
		c.Failed[op]++
	}
	if k.fault.AfterEffect {
		c.AfterEffect++
	}
	if op == gatewaytest.SendMessage && k.fault.Status == http.StatusOK {
		c.Unreadable++
	}
	if k.fault.HangUp || k.fault.Delay == time.Hour || k.fault.Status >= http.StatusInternalServerError {
		c.Cut++
	}
}

// subject identifies what a request is about: a message's content, the message to mark,
// or the inbox.
func subject(r gatewaytest.Request) string {
	var m struct{ Content string }
	_ = json.Unmarshal([]byte(r.Body), &m) // a request may have no body
	return r.Path + " " + r.Query.Get("to") + " " + m.Content
}

const (
	// maxAttempts is the clients' retry limit.
	maxAttempts = 5
	// maxMarkFaults limits how often in a row a MarkRead may fail. That leaves attempts
	// for a slow machine's timeouts.
	maxMarkFaults = 2
)

// faultFor returns a request's fault, or nil. earlier counts previous requests with that
// subject.
func (f *faultInjector) faultFor(op gatewaytest.Operation, about string, earlier uint64) *faultKind {
	random := f.random("", about, earlier)
	switch {
	case op == gatewaytest.SendMessage && earlier < maxAttempts && f.random("every attempt", about, 0).IntN(50) == 0:
		// All attempts of one Send fail, either all with an effect or all without.
		k := faultAt(random.IntN(refusalShares))
		k.fault.AfterEffect = f.random("effect", about, 0).IntN(2) == 0
		return &k
	case op == gatewaytest.ListMessages && earlier%8 < 2 && f.random("empty inbox", about, earlier/8).IntN(5) == 0:
		// Two polls in a row return an empty inbox. After three, Watch forgets a message.
		return &empty
	case random.IntN(10) != 0, op == gatewaytest.MarkMessageRead && earlier >= maxMarkFaults:
		return nil
	}
	k := faultAt(random.IntN(allShares))
	if k.name == empty.name && op == gatewaytest.ListMessages {
		k = faultKinds[0]
	}
	// A 429 never follows an effect: MarkRead relies on that.
	if k.name != slow.name && k.fault.Status != http.StatusTooManyRequests && random.IntN(2) == 0 {
		k.fault.AfterEffect = true
	}
	return &k
}

func (f *faultInjector) random(purpose, about string, earlier uint64) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(purpose + about))
	return rand.New(rand.NewPCG(f.seed^earlier, hash.Sum64()))
}

func TestOneRequestInTenFails(t *testing.T) {
	t.Parallel()
	send := func(content string) gatewaytest.Request {
		body, err := json.Marshal(map[string]string{"content": content})
		require.NoError(t, err)
		return gatewaytest.Request{Operation: gatewaytest.SendMessage, Path: "/messages", Body: string(body)}
	}
	choose := func(seed uint64) (faults []*gatewaytest.Fault, n int) {
		f := newFaultInjector(seed)
		for i := range 10_000 {
			fault := f.choose(send(string(rune('a'+i%26)) + time.Duration(i).String()))
			if faults = append(faults, fault); fault != nil {
				n++
			}
		}
		assert.Len(t, f.counts.Faults, len(faultKinds), "every kind happens")
		return faults, n
	}
	first, n := choose(1)
	assert.InDelta(t, 1180, n, 150, "one in ten, and the sends that fail on every attempt")
	again, _ := choose(1)
	assert.Equal(t, first, again, "the same seed gives the same faults")
	other, _ := choose(2)
	assert.NotEqual(t, first, other)
}

func TestMarkReadCanAlwaysSucceed(t *testing.T) {
	t.Parallel()
	f := newFaultInjector(1)
	most := 0
	for i := range 10_000 {
		r := gatewaytest.Request{Operation: gatewaytest.MarkMessageRead, Path: fmt.Sprintf("/messages/%d/read", i)}
		n := 0
		for f.choose(r) != nil {
			n++
		}
		most = max(most, n)
	}
	assert.Equal(t, maxMarkFaults, most)
}

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

// chaos makes one request in ten fail. Which one, and how, depends on the seed, on the subject of the request and on the
// number of earlier requests with that subject, but not on the order in which requests arrive.
type chaos struct {
	seed uint64

	mu       sync.Mutex
	database int               // counts the databases; ids begin anew in each
	earlier  map[string]uint64 // number of requests, by subject
	account  account
}

// account is what the gateway knows at the end.
type account struct {
	// Requests counts all requests, Failed those with a fault, Faults the faults by kind.
	Requests, Failed map[gatewaytest.Operation]int
	Faults           map[string]int
	// AfterEffect counts the faults after the effect of the request, Unreadable the 2xx faults of a send, Cut those that closed
	// the connection.
	AfterEffect, Unreadable, Cut int
	// Stored counts the messages of all databases, Unread those of the last one.
	Stored, Unread int
	// Early are marks of messages that had not been handled. Stale are marks of messages that had not been handled, but a
	// message of an earlier database with the same id had been.
	Early, Stale []place
}

func newChaos(seed uint64) *chaos {
	return &chaos{seed: seed, earlier: make(map[string]uint64), account: account{
		Requests: make(map[gatewaytest.Operation]int), Failed: make(map[gatewaytest.Operation]int), Faults: make(map[string]int),
	}}
}

// kind is a way to fail. share is its percentage of the faults; it is small for faults that take time. A 2xx must be true, so
// those faults come after the effect only.
type kind struct {
	name  string
	share int
	fault gatewaytest.Fault
}

var (
	late    = kind{"late", 8, gatewaytest.Fault{Delay: 20 * time.Millisecond}}
	empty   = kind{"200 without a body", 8, gatewaytest.Fault{Status: 200, AfterEffect: true}}
	cut     = kind{"200 that breaks off", 9, gatewaytest.Fault{Status: 200, Body: `{"id": 1, "from_`, HangUp: true, AfterEffect: true}}
	notJSON = kind{"200 without JSON", 6, gatewaytest.Fault{Status: 200, Body: "<html>welcome", AfterEffect: true}}
	kinds   = []kind{
		{"hang-up", 12, gatewaytest.Fault{HangUp: true}},
		{"429", 10, gatewaytest.Fault{Status: 429, Header: http.Header{"Retry-After": {"0"}}}},
		{"429 for a second", 4, gatewaytest.Fault{Status: 429, Header: http.Header{"Retry-After": {"1"}}, Body: "slow down"}},
		{"502 in HTML", 10, gatewaytest.Fault{Status: 502, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>bad gateway"}},
		{"503", 10, gatewaytest.Fault{Status: 503}},
		{"503 that breaks off", 10, gatewaytest.Fault{Status: 503, Body: "over", HangUp: true}},
		{"504", 10, gatewaytest.Fault{Status: 504, Body: "gateway timeout"}},
		// The kinds above are refusals: immediate, and without a sign of success.
		{"no answer", 3, gatewaytest.Fault{Delay: time.Hour}}, // the client's timeout ends it
		cut,
		notJSON,
		empty,
		late,
	}
)

const (
	refusals  = 66 // the shares of the refusals
	allShares = 100
)

// pick returns the kind to which share n belongs.
func pick(n int) kind {
	for _, k := range kinds {
		if n -= k.share; n < 0 {
			return k
		}
	}
	panic("the shares do not make a hundred")
}

// choose is the argument of Gateway.FailIf.
func (c *chaos) choose(r gatewaytest.Request) *gatewaytest.Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	about := fmt.Sprint(c.database, " ", subject(r))
	k := c.roll(r.Operation, about, c.earlier[about])
	c.earlier[about]++
	c.account.Requests[r.Operation]++
	if k == nil {
		return nil
	}
	c.account.add(r.Operation, k)
	fault := k.fault
	if fault.Status != 0 {
		fault.Header = http.Header{requestID: {k.name}}
		maps.Copy(fault.Header, k.fault.Header)
	}
	return &fault
}

// requestID is the header that names the fault to the client, so that the ledger knows what each error has to be.
const requestID = "X-Request-Id"

// noteMark notes when the first MarkRead of a message arrived.
func (c *chaos) noteMark(r gatewaytest.Request, marked map[place]time.Time) {
	if r.Operation != gatewaytest.MarkMessageRead {
		return
	}
	at := place{}
	_, _ = fmt.Sscanf(r.Path, "/messages/%d/read", &at.ID)
	c.mu.Lock()
	defer c.mu.Unlock()
	at.Database = c.database
	if _, again := marked[at]; !again {
		marked[at] = time.Now()
	}
}

func (c *chaos) nextDatabase() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.database++
}

func (a *account) add(op gatewaytest.Operation, k *kind) {
	a.Faults[k.name]++
	if k.name != late.name {
		a.Failed[op]++
	}
	if k.fault.AfterEffect {
		a.AfterEffect++
	}
	if op == gatewaytest.SendMessage && k.fault.Status == http.StatusOK {
		a.Unreadable++
	}
	if k.fault.HangUp || k.fault.Delay == time.Hour || k.fault.Status >= http.StatusInternalServerError {
		a.Cut++
	}
}

// subject returns what a request is about: the content of a message, the message to mark, or the inbox.
func subject(r gatewaytest.Request) string {
	var m struct{ Content string }
	_ = json.Unmarshal([]byte(r.Body), &m) // a request may have no body
	return r.Path + " " + r.Query.Get("to") + " " + m.Content
}

const (
	// maxAttempts is the number of attempts in the retry policy of the clients.
	maxAttempts = 5
	// mostMarkFaults is the limit of consecutive faults of MarkRead, so that it succeeds even if a slow machine costs attempts.
	mostMarkFaults = 2
)

// roll returns the fault of a request, or nil.
func (c *chaos) roll(op gatewaytest.Operation, about string, times uint64) *kind {
	dice := c.dice("", about, times)
	switch {
	case op == gatewaytest.SendMessage && times < maxAttempts && c.dice("every attempt", about, 0).IntN(50) == 0:
		// Every attempt of one Send fails. Either all of them have an effect or none has.
		k := pick(dice.IntN(refusals))
		k.fault.AfterEffect = c.dice("effect", about, 0).IntN(2) == 0
		return &k
	case op == gatewaytest.ListMessages && times%8 < 2 && c.dice("empty inbox", about, times/8).IntN(5) == 0:
		// Two polls in a row return an empty inbox. Watch forgets a message after three.
		return &empty
	case dice.IntN(10) != 0, op == gatewaytest.MarkMessageRead && times >= mostMarkFaults:
		return nil
	}
	k := pick(dice.IntN(allShares))
	if k.name == empty.name && op == gatewaytest.ListMessages {
		k = kinds[0]
	}
	// A 429 comes before any effect: MarkRead relies on it.
	if k.name != late.name && k.fault.Status != http.StatusTooManyRequests && dice.IntN(2) == 0 {
		k.fault.AfterEffect = true
	}
	return &k
}

func (c *chaos) dice(what, about string, times uint64) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(what + about))
	return rand.New(rand.NewPCG(c.seed^times, hash.Sum64()))
}

func TestOneRequestInTenFails(t *testing.T) {
	t.Parallel()
	send := func(content string) gatewaytest.Request {
		body, err := json.Marshal(map[string]string{"content": content})
		require.NoError(t, err)
		return gatewaytest.Request{Operation: gatewaytest.SendMessage, Path: "/messages", Body: string(body)}
	}
	roll := func(seed uint64) (faults []*gatewaytest.Fault, n int) {
		c := newChaos(seed)
		for i := range 10_000 {
			fault := c.choose(send(string(rune('a'+i%26)) + time.Duration(i).String()))
			if faults = append(faults, fault); fault != nil {
				n++
			}
		}
		assert.Len(t, c.account.Faults, len(kinds), "every kind happens")
		return faults, n
	}
	first, n := roll(1)
	assert.InDelta(t, 1180, n, 150, "one in ten, and the sends that fail on every attempt")
	again, _ := roll(1)
	assert.Equal(t, first, again, "the same seed gives the same faults")
	other, _ := roll(2)
	assert.NotEqual(t, first, other)
}

func TestEveryMarkReadCanSucceed(t *testing.T) {
	t.Parallel()
	c := newChaos(1)
	most := 0
	for i := range 10_000 {
		r := gatewaytest.Request{Operation: gatewaytest.MarkMessageRead, Path: "/messages/" + time.Duration(i).String() + "/read"}
		n := 0
		for c.choose(r) != nil {
			n++
		}
		most = max(most, n)
	}
	assert.Equal(t, mostMarkFaults, most)
}

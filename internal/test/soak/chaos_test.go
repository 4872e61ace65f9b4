package soak_test

import (
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// chaos spoils one answer in ten. Which, and how, depends on the seed, on what the request is about and on how often that
// was asked before, and not on the order in which requests happen to arrive.
type chaos struct {
	seed uint64

	mu      sync.Mutex
	asked   map[string]uint64 // by what a request is about
	account account
}

// account is what the gateway knows at the end.
type account struct {
	// Requests counts all, Failed those whose answer was spoilt, Faults the same by kind.
	Requests, Failed map[gatewaytest.Operation]int
	Faults           map[string]int
	// AfterEffect counts the faults that let the request take effect first, Unreadable those that answered a send with a 2xx,
	// Cut those that cost the connection.
	AfterEffect, Unreadable, Cut int
	// Stored and Unread count messages.
	Stored, Unread int
}

func newChaos(seed uint64) *chaos {
	return &chaos{seed: seed, asked: make(map[string]uint64), account: account{
		Requests: make(map[gatewaytest.Operation]int), Failed: make(map[gatewaytest.Operation]int), Faults: make(map[string]int),
	}}
}

// kind is a way to fail; share is how many of a hundred faults are of it, few of those that cost time. A 2xx has to tell the
// truth: those are sent after the effect only.
type kind struct {
	name  string
	share int
	fault gatewaytest.Fault
}

var (
	late  = kind{"late, and fine", 8, gatewaytest.Fault{Delay: 20 * time.Millisecond}}
	empty = kind{"200 without a body", 8, gatewaytest.Fault{Status: 200, AfterEffect: true}}
	kinds = []kind{
		{"hang-up", 12, gatewaytest.Fault{HangUp: true}},
		{"429", 10, gatewaytest.Fault{Status: 429, Header: http.Header{"Retry-After": {"0"}}}},
		{"429 for a second", 4, gatewaytest.Fault{Status: 429, Header: http.Header{"Retry-After": {"1"}}, Body: "slow down"}},
		{"502 in HTML", 10, gatewaytest.Fault{Status: 502, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>bad gateway"}},
		{"503", 10, gatewaytest.Fault{Status: 503}},
		{"503 that breaks off", 10, gatewaytest.Fault{Status: 503, Body: "over", HangUp: true}},
		{"504", 10, gatewaytest.Fault{Status: 504, Body: "gateway timeout"}},
		// Up to here they are refusals: nothing that reads like success, and at once.
		{"no answer", 3, gatewaytest.Fault{Delay: time.Hour}}, // the client's timeout ends it
		{"200 that breaks off", 9, gatewaytest.Fault{Status: 200, Body: `{"id": 1, "from_`, HangUp: true, AfterEffect: true}},
		{"200 that is no JSON", 6, gatewaytest.Fault{Status: 200, Body: "<html>welcome", AfterEffect: true}},
		empty,
		late,
	}
)

const (
	refusals  = 66 // the shares of the refusals
	allShares = 100
)

// pick returns the kind that the nth share belongs to.
func pick(n int) kind {
	for _, k := range kinds {
		if n -= k.share; n < 0 {
			return k
		}
	}
	panic("the shares do not make a hundred")
}

// choose is for Gateway.FailIf.
func (c *chaos) choose(r gatewaytest.Request) *gatewaytest.Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	about := subject(r)
	k := c.roll(r.Operation, about, c.asked[about])
	c.asked[about]++
	c.account.Requests[r.Operation]++
	if k == nil {
		return nil
	}
	c.account.add(r.Operation, k)
	return &k.fault
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
	if k.fault.HangUp || k.fault.Delay == time.Hour {
		a.Cut++
	}
}

// subject is what a request is about: a message's content, the message to be marked, the inbox.
func subject(r gatewaytest.Request) string {
	var m struct{ Content string }
	_ = json.Unmarshal([]byte(r.Body), &m) // not every request has a body
	return r.Path + " " + r.Query.Get("to") + " " + m.Content
}

const (
	// maxAttempts is what the clients' retry policy says.
	maxAttempts = 5
	// mostMarkFaults in a row leave MarkRead enough attempts to succeed, even if a slow machine costs it one or two.
	mostMarkFaults = 2
)

// roll returns the fault of a request, or nil.
func (c *chaos) roll(op gatewaytest.Operation, about string, times uint64) *kind {
	dice := c.dice("", about, times)
	switch {
	case op == gatewaytest.SendMessage && times < maxAttempts && c.dice("luckless", about, 0).IntN(50) == 0:
		// Every attempt of one Send fails: either each has its effect, or none has.
		k := pick(dice.IntN(refusals))
		k.fault.AfterEffect = c.dice("all the same", about, 0).IntN(2) == 0
		return &k
	case op == gatewaytest.ListMessages && times%8 < 2 && c.dice("lies", about, times/8).IntN(5) == 0:
		// Two windows in a row say that nothing is unread. Watch has to forget what three in a row did not show.
		return &empty
	case dice.IntN(10) != 0, op == gatewaytest.MarkMessageRead && times >= mostMarkFaults:
		return nil
	}
	k := pick(dice.IntN(allShares))
	if k.name == empty.name && op == gatewaytest.ListMessages {
		k = kinds[0]
	}
	if k.name != late.name && dice.IntN(2) == 0 {
		k.fault.AfterEffect = true
	}
	return &k
}

func (c *chaos) dice(what, about string, times uint64) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(what + about))
	return rand.New(rand.NewPCG(c.seed^times, hash.Sum64()))
}

func TestChaosSpoilsOneAnswerInTen(t *testing.T) {
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
	assert.InDelta(t, 1180, n, 150, "one in ten, and the luckless")
	again, _ := roll(1)
	assert.Equal(t, first, again, "the seed decides")
	other, _ := roll(2)
	assert.NotEqual(t, first, other)
}

func TestChaosLetsEveryMarkReadSucceed(t *testing.T) {
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

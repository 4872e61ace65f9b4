package gatewaytest

import "github.com/mesh-gateway/mesh-go/internal/testserver"

// Fault is one way for an operation to fail. Its parts combine: a delayed 503, garbage that breaks off.
//
//	Times       int           // how often it happens; 0 means once, a negative number means from now on
//	Delay       time.Duration // passes before the answer; with nothing else the usual answer comes, late
//	HangUp      bool          // closes the connection: instead of an answer, or, when Body is set, within it
//	AfterEffect bool          // the request takes effect before everything else; only its answer is lost
//	Status      int           // of the answer; 0 means 200
//	Header      http.Header   // of the answer; without a Content-Type it is text/plain
//	Body        string        // of the answer
//
// A Delay ends early when the client goes or the gateway closes. A HangUp within the answer comes after the status, the
// headers and Body, one byte before the announced end.
type Fault = testserver.Fault

// Fail makes an operation fail. Faults of one operation happen in the order they were planned. An operation that the gateway
// does not have panics.
func (g *Gateway) Fail(op Operation, fault Fault) { g.site.Fail(op, fault) }

// FailIf asks choose about every request that no fault of [Gateway.Fail] is for; nil lets it be answered as usual. It is for
// faults by chance, and for those that depend on the request. Of the fault, Times is not looked at. Requests that come at
// once ask at once, so choose has to be safe for concurrent use. A second FailIf takes the place of the first.
func (g *Gateway) FailIf(choose func(Request) *Fault) { g.site.FailIf(choose) }

// Heal forgets the faults that have not happened yet, and what FailIf was given.
func (g *Gateway) Heal() { g.site.Heal() }

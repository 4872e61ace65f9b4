package gatewaytest

import "github.com/mesh-gateway/mesh-go/internal/testserver"

// Fault describes how an operation fails. The fields combine: a delayed 503, or garbage in a body that breaks off.
//
//	Times       int           // number of requests that fail; 0 means 1, a negative number means all from now on
//	Delay       time.Duration // time before the response; without other fields the usual response follows
//	BytesPerSecond int        // rate of the body of the usual response, as on a slow link; 0 means no limit
//	HangUp      bool          // close the connection instead of responding; with Body, in the middle of the body
//	AfterEffect bool          // let the request take effect, and replace only its response
//	AfterEvents int           // not used: no response of the gateway is a stream
//	Status      int           // status of the response; 0 means 200
//	Header      http.Header   // header of the response; the default Content-Type is text/plain
//	Body        string        // body of the response
//
// A Delay ends early when the client disconnects or the gateway closes. With HangUp and Body, the connection closes after the
// status, the header and Body, one byte before the announced length.
type Fault = testserver.Fault

// Fail makes an operation fail. Faults of one operation happen in the order of the calls. It panics if the gateway does not
// have the operation.
func (g *Gateway) Fail(op Operation, fault Fault) { g.server.Fail(op, fault) }

// FailIf calls choose for every request that has no fault of [Gateway.Fail], and applies the fault that it returns; nil means
// the usual response. Fault.Times is ignored. choose must be safe for concurrent use. A second FailIf replaces the first.
func (g *Gateway) FailIf(choose func(Request) *Fault) { g.server.FailIf(choose) }

// Heal removes the faults that have not happened yet, and the function of FailIf.
func (g *Gateway) Heal() { g.server.Heal() }

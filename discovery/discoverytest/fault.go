package discoverytest

import "github.com/mesh-gateway/mesh-go/internal/testserver"

// Fault describes how an operation fails. The fields combine, as in a delayed 503.
//
//	Times       int           // how often it happens; 0 means once, a negative number means from now on
//	Delay       time.Duration // passes before the answer; with nothing else the usual answer comes, late
//	HangUp      bool          // closes the connection: instead of an answer, or, when Body is set, within it
//	AfterEffect bool          // makes no difference here: there are no effects
//	Status      int           // of the answer; 0 means 200
//	Header      http.Header   // of the answer; without a Content-Type it is text/plain
//	Body        string        // of the answer
//
// A Delay ends early when the client disconnects or the server closes. With HangUp and Body, the connection closes after the
// status, the header and Body, one byte before the announced length. A fault applies before the key is checked.
type Fault = testserver.Fault

package discoverytest

import "github.com/mesh-gateway/mesh-go/internal/testserver"

// Fault describes how an operation fails. The fields combine, as in a delayed 503.
//
//	Times       int           // number of requests that fail; 0 means 1, a negative number means all from now on
//	Delay       time.Duration // time before the response; without other fields the usual response follows
//	BytesPerSecond int        // rate of the body of the usual response, as on a slow link; 0 means no limit
//	HangUp      bool          // close the connection instead of responding; with Body, in the middle of the body
//	AfterEffect bool          // ignored, because no request has an effect
//	AfterEvents int           // let so many events of a streamed completion pass first
//	Status      int           // status of the response; 0 means 200
//	Header      http.Header   // header of the response; the default Content-Type is text/plain
//	Body        string        // body of the response
//
// After AfterEvents events, HangUp breaks the connection off, Body takes the place of the other events, as in an error event,
// and a Delay delays them; a Fault with AfterEvents alone leaves them out. Status and Header are then ignored, and so is the
// whole Fault if the completion is not streamed.
//
// A Delay ends early when the client disconnects or the server closes. With HangUp and Body, the connection closes after the
// status, the header and Body, one byte before the announced length. A fault applies before the key is checked.
type Fault = testserver.Fault

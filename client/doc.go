// Package client talks to a mesh gateway: it lists and registers peers, sends typed direct messages and replies, reads inboxes
// and threads, and marks messages read.
//
//	c, err := client.New("node-a", client.WithGatewayURL("http://gateway:8787"))
//	if err != nil { ... }
//	defer c.Close()
//	receipt, err := c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindQuestion, Content: "Is the build green?"})
//	inbox, err := c.Fetch(ctx, client.FetchOptions{UnreadOnly: true})
//
// # Authentication
//
// The bearer token comes from [WithToken], else from MESH_GATEWAY_TOKEN. Without a token, requests carry no Authorization
// header. The gateway's base URL comes from [WithGatewayURL], else from MESH_GATEWAY_URL. [New] reads both variables once.
// Errors, log records and printed values never contain a token, even if the gateway echoes it.
//
// # Checks before a send
//
// [MeshClient.Send] validates the message, looks up the recipient in the gateway's registry, and scans the content for
// credentials. If a check fails, nothing is posted. The gateway itself accepts and stores messages for names that are not
// registered. The scan is best effort: treat the content of a message as public.
//
// A rule that matches harmless text can be allowed for one message with SendRequest.AllowRules.
//
// # Receiving
//
// [MeshClient.Serve] is a worker: it registers the node, hands each unread message to a function and marks it read when the
// function returns nil. [MeshClient.Reply] answers in the thread of a message, and the same reply sent twice arrives once.
// [MeshClient.Watch] returns the sequence of unread messages, for programs with a loop of their own. [MeshClient.Fetch] reads an
// inbox once.
//
// # Errors
//
// Every error matches [ErrMesh]. Use errors.As to find its type:
//
//   - [*ValueError]: an argument is invalid. Nothing was sent.
//   - [*NotInRegistryError]: the recipient is not registered. Nothing was posted.
//   - [*MeshSecretLeakError]: the content contains a credential. Nothing was posted.
//   - [*MeshAuthError]: the gateway answered 401 or 403. It is a [*MeshGatewayError] too.
//   - [*MeshGatewayError]: any other failure of a request. Delivered and Uncertain report whether a message may
//     have arrived; RetryAfter is the wait that the gateway requests.
//
// If a context ended, errors.Is finds context.Canceled or context.DeadlineExceeded. If a response exceeds
// [WithMaxResponseBytes], errors.Is finds [ErrTooLarge].
//
// # Limits
//
// A request takes at most 10 seconds ([WithTimeout]). A response has at most 32 MiB ([WithMaxResponseBytes]). Redirects are
// not followed. Failed requests are repeated only with [WithRetry]; see [RetryPolicy]. The gateway returns at most the 1000
// newest messages of an inbox and has no cursor: older messages appear when newer ones have been marked read.
//
// # Connections
//
// Unless [WithHTTPClient] is given, each client has a transport of its own. It closes idle connections after four seconds
// and after every 5xx response, because the gateway drops idle connections after five seconds and closes a connection
// after an internal error without announcing it: the next request on such a connection would fail. Configure a transport of
// your own in the same way (IdleConnTimeout), or use [WithRetry].
//
// # Concurrency
//
// A [MeshClient] is safe for concurrent use and meant to be shared. Concurrent sends share one request for the registry.
// A nil context is a [*ValueError]. So is a call of a MeshClient that was not made with [New].
//
// # Tests
//
// Package client/gatewaytest provides an in-memory gateway for tests.
package client

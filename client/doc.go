// Package client talks to a mesh gateway: it lists and registers peers, sends typed direct messages and replies, reads inboxes
// and threads, and marks messages read.
//
//	c, err := client.New("node-a", client.WithGatewayURL("http://gateway:8787/gateway"))
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
// credentials. If a check fails, nothing is posted. The lookup is necessary because the gateway accepts messages for names that
// are not registered. The scan is best effort: treat the content of a message as public.
//
// A rule that matches harmless text can be allowed for one message with SendRequest.AllowRules.
//
// # Receiving
//
// [MeshClient.Fetch] reads an inbox, [MeshClient.Reply] answers in the thread of a message, and [MeshClient.MarkRead] marks it read. The
// same reply sent twice arrives once.
//
// Package client/agent asks questions and waits for the answers, and serves the inbox of a node with a function.
//
// # Errors
//
// Every error matches [ErrMesh]. Use errors.As to find its type:
//
//   - [*ValueError]: an argument is invalid, the context is nil, or the MeshClient was not made with [New]. Nothing was sent.
//   - [*NotInRegistryError]: the recipient is not registered. Nothing was posted.
//   - [*RowError]: a row of a list cannot be decoded. The list has the other rows. It matches [ErrIncomplete] if the gateway has more
//     rows than the response.
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
// A request takes at most 10 seconds, or longer while bytes of the response arrive ([WithTimeout]). A response has at most 32 MiB
// ([WithMaxResponseBytes]). Redirects are not followed. Failed requests are repeated only with [WithRetry]; see [RetryPolicy]. The
// gateway returns at most the 1000 newest messages of an inbox and has no cursor: older messages appear when newer ones have been marked
// read.
//
// # Connections
//
// The gateway closes a connection without notice after an internal error, or when it has been idle for five seconds. The next
// request on it fails. The client's transport therefore closes idle connections after four seconds and after every 5xx
// response. With [WithHTTPClient], set IdleConnTimeout in the same way, or use [WithRetry].
//
// Without [WithRetry] a request with a body is transmitted once, and one without a body at most three times, whatever the gateway
// or a proxy does. net/http repeats a POST that is refused over HTTP/2, so the client's own transport speaks HTTP/1.1 only. Over
// HTTP/2, with WithHTTPClient, such a refusal is an error instead, for Send with Uncertain: a proxy that renews its connection
// every hundred requests makes about one plain Send in sixteen fail under load. With WithRetry these sends succeed.
//
// net/http prints bytes that a server sends after a response ("Unsolicited response received on idle HTTP channel") to the
// standard logger of package log, headers and tokens included. No setting of a transport prevents that. A program that keeps its
// standard log should redact it, or direct it to a writer that does, with log.SetOutput.
//
// # Concurrency
//
// A [MeshClient] is safe for concurrent use and meant to be shared. Concurrent sends share one request for the registry.
//
// # Tests
//
// Package client/gatewaytest provides an in-memory gateway for tests.
package client

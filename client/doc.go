// Package client connects programs to a mesh gateway, with a method for each operation.
//
// # Connect and register
//
//	c, err := client.New("node-a", client.WithGatewayURL("http://gateway:8787/gateway"))
//	if err != nil { ... }
//	defer c.Close()
//	_, err = c.Register(ctx, client.RegisterRequest{})
//
// The gateway's URL comes from [WithGatewayURL], else from MESH_GATEWAY_URL, and the
// bearer token from [WithToken], else from MESH_GATEWAY_TOKEN. [New] reads both variables
// once. Errors, log records and printed values never contain a token, even if the gateway
// echoes it. A node has to be registered before others can send to it;
// [MeshClient.ListPeers] lists the nodes.
//
// # Send
//
//	receipt, err := c.Send(ctx, client.SendRequest{
//		To: "node-b", Kind: client.KindQuestion, Content: "Is the build green?",
//	})
//
// Before anything is posted, [MeshClient.Send] validates the message, looks up the
// recipient in the gateway's registry, and scans the content for credentials. The lookup
// is necessary because the gateway accepts messages to names that aren't registered. The
// scan is best effort: treat every message as public. SendRequest.AllowRules allows a
// rule that matches harmless text.
//
// # Read, reply, mark
//
//	inbox, err := c.Fetch(ctx, client.FetchOptions{UnreadOnly: true})
//	for _, m := range inbox {
//		_, err = c.Reply(ctx, m, client.SendRequest{Content: "Yes."})
//		err = c.MarkRead(ctx, m.ID)
//	}
//
// Reading marks nothing. [MeshClient.Reply] answers in the message's thread; the same
// reply sent twice arrives once. [MeshClient.Sent] lists what the node has sent, and
// [MeshClient.OpenThread] starts a thread with a name. [MeshClient.Do] sends any other
// request to the gateway.
//
// Package client/agent is built on these methods. It asks a question and waits for the
// answer, or answers every question by calling a function.
//
// # Errors
//
// Every error matches [ErrMesh]. Use errors.As to find its type:
//
//   - [*ValueError]: an argument is invalid, the context is nil, or [New] did not make
//     the client. Nothing was sent.
//   - [*NotInRegistryError]: the recipient is not registered. Nothing was posted.
//   - [*RowError]: a row in a list is invalid. The list has the other rows. It matches
//     [ErrIncomplete] if the gateway has more rows than the response.
//   - [*MeshSecretLeakError]: the content contains a credential. Nothing was posted.
//   - [*MeshAuthError]: the gateway answered 401 or 403. It is a [*MeshGatewayError] too.
//   - [*MeshGatewayError]: any other failed request. Delivered and Uncertain report
//     whether a message may have arrived; RetryAfter is the wait that the gateway
//     requests.
//
// If a context ended, errors.Is finds context.Canceled or context.DeadlineExceeded. If a
// response exceeds [WithMaxResponseBytes], errors.Is finds [ErrTooLarge].
//
// # Limits
//
// A request takes at most 10 seconds, or longer while the response arrives
// ([WithTimeout]). A response has at most 32 MiB ([WithMaxResponseBytes]). Redirects are
// not followed. Failed requests are repeated only with [WithRetry]; see [RetryPolicy].
// The gateway has no cursor and lists only an inbox's newest 1000 messages: older ones
// appear in a list of unread messages once newer ones are marked read.
//
// # Connections
//
// The gateway silently closes a connection after an internal error or five idle seconds,
// and the next request on it would fail. So the client closes idle connections first:
// after four seconds, and after every 5xx response. If you pass [WithHTTPClient], set its
// IdleConnTimeout below five seconds, or use [WithRetry].
//
// Even without [WithRetry], net/http may resend a request on a broken connection: never
// one that has a body, any other up to twice. The client's own transport speaks only
// HTTP/1.1, because net/http repeats a POST that was refused over HTTP/2. If your HTTP
// client speaks HTTP/2, such a refusal is an error, and Send sets Uncertain. Behind a
// proxy that renews its connection every hundred requests, about one Send in sixteen
// fails under load, unless you use WithRetry.
//
// If a server sends more bytes after a response, net/http prints them to the standard
// logger in package log ("Unsolicited response received on idle HTTP channel"), including
// any token. No transport setting prevents this. If your program keeps this log, pass
// log.SetOutput a writer that redacts it.
//
// # Concurrency
//
// A [MeshClient] is safe for concurrent use and meant to be shared. Concurrent sends
// share one registry request.
//
// # Tests
//
// Package client/gatewaytest provides an in-memory gateway for tests.
package client

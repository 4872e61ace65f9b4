// Package client talks to a mesh gateway: it lists peers, registers this node, sends typed direct messages, reads an
// inbox and marks messages read.
//
//	c, err := client.New("node-a", client.WithGatewayURL("http://gateway:8787"))
//	if err != nil { ... }
//	defer c.Close()
//	receipt, err := c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindQuestion, Content: "how far are you?"})
//	inbox, err := c.Fetch(ctx, client.FetchOptions{UnreadOnly: true})
//
// # Authentication
//
// The bearer token comes from [WithToken], else from MESH_GATEWAY_TOKEN; without one no Authorization header is sent. The
// gateway's URL comes from [WithGatewayURL], else from MESH_GATEWAY_URL. Both variables are read once, in [New]. No error,
// log line or printed value shows a token, even where the gateway echoes it.
//
// # Before a message is posted
//
// [MeshClient.Send] checks the kind, looks the recipient up in the gateway's registry, and scans the content for
// credentials. If any of that fails, nothing is posted. The gateway itself would store mail for a name that nobody has
// registered. The scan is best effort: treat the content of a message as public.
//
// # Errors
//
// Every error matches [ErrMesh]. errors.As finds the kind:
//
//   - [*ValueError]: a bad argument; nothing was sent.
//   - [*NotInRegistryError]: nobody of that name is registered; nothing was posted.
//   - [*MeshSecretLeakError]: the content holds a credential; nothing was posted.
//   - [*MeshAuthError]: 401 or 403. It is a [*MeshGatewayError] too.
//   - [*MeshGatewayError]: anything else that went wrong between here and the gateway. Delivered tells that a message
//     arrived although its receipt could not be read, RetryAfter how long the gateway asks to wait.
//
// A context that ended is visible with errors.Is.
//
// # Limits
//
// A request takes at most 10 seconds ([WithTimeout]), a response at most 32 MiB ([WithMaxResponseBytes]). Redirects are
// never followed. Nothing is retried unless [WithRetry] says so; [RetryPolicy] lists what is. The gateway shows at most the
// 1000 newest messages of an inbox and has no cursor: mark messages read, and the older ones come into sight.
//
// # Concurrency
//
// A [MeshClient] is safe for concurrent use, and meant to be shared. Concurrent sends share one look at the registry.
//
// # Tests
//
// The package client/gatewaytest has an in-memory gateway for your own tests.
//
// # The documents
//
// Comments cite SPEC.md and WIRE.md. These are the source document and the record of the wire, kept by the maintainers;
// docs/conformance.md in the repository maps their rules to names and tests.
package client

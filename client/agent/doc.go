// Package agent asks questions over a mesh gateway and answers them. Its functions take a
// [client.MeshClient].
//
// # A bot
//
// [Answer] calls a function for each question and sends the text that it returns. With
// Register, it first registers the node:
//
//	bot, err := client.New("bot") // MESH_GATEWAY_URL and MESH_GATEWAY_TOKEN
//	if err != nil { ... }
//	err = agent.Answer(ctx, bot, func(ctx context.Context, q client.MeshMessage) (string, error) {
//		return complete(ctx, q.GetContent())
//	}, agent.AnswerOptions{
//		ServeOptions: agent.ServeOptions{Register: &client.RegisterRequest{}},
//		Spool:        "answers",
//	})
//
// When ctx ends, Answer waits for running functions and returns. To answer several
// questions at once, set Workers. To run several bots under one name, set Lease.
//
// # A question
//
// [Ask] sends a question and waits for its answer:
//
//	ctx, cancel := context.WithTimeout(ctx, time.Minute)
//	defer cancel()
//	answer, err := agent.Ask(ctx, me, client.SendRequest{To: "bot", Content: "Is the build green?"})
//
// The asking node must be registered, too, or the error is a [*client.NotInRegistryError]
// with Sender set. [AskAll] asks several nodes and yields each answer as it arrives.
//
// If no answer arrives, the error is a [*NoAnswerError], which wraps the reason. The
// question remains at the gateway. [Await] waits for its answer again, even after a
// restart, and [Pending] lists all unanswered questions.
//
// # An outage
//
// Ask and Answer keep polling while the gateway is unreachable, and are back within about
// five seconds. No function is called during an outage. A finished answer waits in
// memory, and in the Spool directory if there is one.
//
// # What is paid once
//
// A function that calls a model costs money. Once it has returned a text, only the
// delivery is repeated, under an idempotency key: the answer arrives once. With a Spool
// this holds across a crash, too: the function is called again for a question only if it
// failed or the program ended while it ran, and at most MaxAttempts times per process.
//
// # Building blocks
//
// Use [Serve] if your function sends its own replies, or none. [Watch] yields unread
// messages and marks nothing. [GetMessage] finds a message by its id. All functions may
// be called concurrently, also with the same client. Every error that they return or
// yield matches [client.ErrMesh].
package agent

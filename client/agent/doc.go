// Package agent asks questions over a mesh gateway and answers them. Its functions take a
// [client.MeshClient].
//
// # A bot
//
// [Answer] registers the node, calls a function for each question, and sends the text
// that the function returns:
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
// It returns when ctx ends, after the functions that are running. To answer several
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
// with Sender set. [AskAll] asks several nodes and yields each answer when it arrives.
//
// A missing answer is a [*NoAnswerError], which wraps the reason. The question remains:
// [Await] waits for it again, also after a restart, and [Pending] lists all such
// questions.
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
// this holds across a crash. Only a function that fails, or a program that ends while it
// runs, leads to another call for the same question, up to MaxAttempts times in one
// process.
//
// # Below
//
// [Serve] is for functions that reply themselves or not at all. [Watch] yields the unread
// messages and marks nothing. [GetMessage] finds one message by its id.
package agent

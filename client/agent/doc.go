// Package agent asks questions over a mesh gateway and answers them. Its functions take a [client.MeshClient].
//
// # Asking
//
// [Ask] sends a question and waits for the answer:
//
//	ctx, cancel := context.WithTimeout(ctx, time.Minute)
//	defer cancel()
//	answer, err := agent.Ask(ctx, c, client.SendRequest{To: "node-b", Content: "Is the build green?"})
//
// [AskAll] asks several nodes and yields each answer when it arrives. [Await] continues to wait after a restart or a deadline,
// and [Pending] lists the questions without an answer. A question without an answer is a [*NoAnswerError], which wraps the reason.
//
// # Answering
//
// [Answer] runs a bot: it calls a function for each question and sends the text that it returns.
//
//	err := agent.Answer(ctx, c, func(ctx context.Context, q client.MeshMessage) (string, error) {
//		return model.Complete(ctx, q.GetContent())
//	}, agent.AnswerOptions{
//		ServeOptions: agent.ServeOptions{Register: &client.RegisterRequest{URL: "http://node-b:8787"}},
//		Spool:        "answers",
//	})
//
// While the gateway is unreachable no function is started, and a finished answer waits for the gateway. It is paid for once: only its
// delivery is repeated, and with a Spool it survives a crash.
//
// [Serve] is the worker below it, for functions that reply themselves or not at all. [Watch] only yields the unread messages, and
// [GetMessage] finds one by its id, or returns a [*NotInInboxError].
package agent

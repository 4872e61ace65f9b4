package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
)

// NoAnswerError reports that a question got no answer. Err is the reason: for example,
// the question was not sent, the context ended, the client was closed, or the gateway
// refused to list the answers. errors.Is and errors.As find Err.
type NoAnswerError struct {
	// Question can be passed to [Await]: it has the fields that Await needs. If there is no
	// receipt, only ToNode is set, and nothing was sent unless Err is a
	// [*client.MeshGatewayError] with Delivered or Uncertain. Tokens and text that looks
	// like a credential are redacted, since one may have been passed as the recipient by
	// mistake.
	Question client.MeshMessage
	// Err is the reason.
	Err error
}

func (e *NoAnswerError) Error() string {
	reason := strings.TrimPrefix(e.Err.Error(), "mesh: ")
	switch failed := failedRequest(e.Err); {
	case e.Question.ID != 0:
		return fmt.Sprintf("mesh: no answer from %s to question %d: %s", e.Question.ToNode, e.Question.ID, reason)
	case failed.Delivered || failed.Uncertain:
		return fmt.Sprintf("mesh: no receipt for a question to %s: %s", e.Question.ToNode, reason)
	}
	return fmt.Sprintf("mesh: question to %s not sent: %s", e.Question.ToNode, reason)
}

// Is makes the error match [client.ErrMesh].
func (e *NoAnswerError) Is(target error) bool { return target == client.ErrMesh }

// Unwrap returns Err.
func (e *NoAnswerError) Unwrap() error { return e.Err }

// Ask sends a question and returns its answer, marked read. It waits until ctx ends: use
// context.WithTimeout.
//
//	answer, err := agent.Ask(ctx, c, client.SendRequest{To: "node-b", Content: "Ready?"})
//
// If there is no answer, the error is a [*NoAnswerError]. If the client's own node isn't
// registered, it couldn't receive one, and the error is a [*client.NotInRegistryError]
// with Sender set. If a Serve or Answer with the same client is registering the node, Ask
// waits for it. An invalid request is a [*client.ValueError]: req.Kind must be "" or
// KindQuestion, and req.To another node.
//
// Ask makes the checks of [client.MeshClient.Send], opens a thread for the question and
// posts it there. The answer is the recipient's first message of kind answer in this
// thread, as [client.MeshClient.Reply] sends it.
//
// # Waiting
//
// Ask polls after 0.1 seconds, then less often, up to every second, and after two minutes
// up to every five seconds. It keeps polling while the gateway is unreachable. It gives
// up if the gateway has lost its database and with it the question, or refuses three
// polls in a row with a 4xx status other than 404, 408 or 429.
//
// When ctx ends, the question remains at the gateway, and a later answer stays unread.
// Call [Await] to keep waiting. A Serve or Watch for the same node receives answers, too,
// unless it selects other kinds. If Ask can't mark an answer read, it logs a warning and
// returns the answer anyway.
//
// # In a named thread
//
// To ask in an existing thread, set req.ThreadID or pass a handler's context (see
// [Conversation]). Ask then puts a random number into RelatedTaskID. Replies repeat it,
// so several questions can wait in one thread, and Ask ignores answers without it. If the
// gateway refuses the number twice, Ask logs a warning and sends the question without it.
//
// If req has both ThreadID and RelatedTaskID, Ask adds no number. Without a number, Ask
// takes the recipient's next answer in the thread that has no number either. It may
// belong to an earlier question, or to another program's. With one client, such questions
// wait in turn.
//
// # Repeating a question
//
// After a 500, the gateway may have stored the question anyway, so Ask repeats it under
// the same idempotency key, up to four times. If req has its own key, you can ask again,
// for example after a crash: thread and number are derived from the key, and the question
// arrives once.
//
// # Older gateways
//
// A gateway without threads answers POST /threads with 404 or 405. Ask then takes the
// recipient's next answer outside threads, which may be a late one to an earlier
// question. With one client, questions to the same recipient wait in turn.
func Ask(ctx context.Context, c *client.MeshClient, req client.SendRequest) (answer *client.MeshMessage, err error) {
	to := req.To
	req.To = ""
	for m, failed := range ask(ctx, c, []string{to}, req) {
		answer, err = &m, failed
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// AskAll is [Ask] for several nodes. It yields one result for each recipient as it
// arrives: an answer, or a [*NoAnswerError]. A node that can't be asked doesn't stop the
// others.
//
// All questions share one thread. AskAll tries to send each of them before it yields the
// first result. If the client's own node isn't registered, the only result is that error,
// as in Ask. If req.To is not "", or if to is empty or names a node twice, it is a
// [*client.ValueError]. If you break out of the loop, questions already sent remain, as
// when ctx ends. Each range over the sequence asks again.
func AskAll(ctx context.Context, c *client.MeshClient, to []string, req client.SendRequest) iter.Seq2[client.MeshMessage, error] {
	return ask(ctx, c, slices.Clone(to), req)
}

// Await waits for answers to questions already sent, for example after a restart. Like
// [AskAll], it yields one result for each.
//
// A question needs the ID, ToNode, ThreadID, RelatedTaskID and CreatedAt from its receipt
// or from a [NoAnswerError]. Without RelatedTaskID, Await looks it up. Without CreatedAt,
// Await can't notice that a gateway with a new database has given the ID to another
// question. If two questions without a number went to the same node in one thread, the
// older one gets the first answer. If a question is invalid or given twice, the only
// result is a [*client.ValueError].
func Await(ctx context.Context, c *client.MeshClient, questions ...client.MeshMessage) iter.Seq2[client.MeshMessage, error] {
	return func(yield func(message, error) bool) {
		n, err := newNode(ctx, c)
		if err == nil {
			err = n.checkQuestions(questions)
		}
		if err != nil {
			yield(message{}, err)
			return
		}
		w := &waiter{client: n, yield: yield, pending: slices.Clone(questions)}
		w.run(ctx)
	}
}

func ask(ctx context.Context, c *client.MeshClient, to []string, req request) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		n, err := newNode(ctx, c)
		req, nodes := req, to // for this range
		if err == nil {
			nodes, err = n.checkAsk(to, &req)
		}
		if err == nil {
			err = n.checkSender(ctx)
		}
		if err != nil {
			yield(message{}, err)
			return
		}
		w := &waiter{client: n, yield: yield, checked: time.Now()}
		nodes, w.refused = n.checkRecipients(ctx, nodes, req)
		named, err := n.setThread(ctx, nodes, &req)
		for _, node := range nodes {
			if err != nil {
				w.refused = append(w.refused, n.unsent(node, err))
				continue
			}
			w.unsent = append(w.unsent, n.outgoing(node, req, named && req.RelatedTaskID == ""))
		}
		w.run(ctx)
	}
}

func (c *node) unsent(node string, err error) *NoAnswerError {
	return c.noAnswer(message{ToNode: c.Redact(node)}, err)
}

// noAnswer keeps only what Await needs: errors are printed with all fields.
func (c *node) noAnswer(q message, err error) *NoAnswerError {
	return &NoAnswerError{Err: c.RedactError(err), Question: message{
		ID: q.ID, ToNode: c.RedactOwn(q.ToNode), CreatedAt: c.Redact(q.CreatedAt), // a peer's name may be part of a token
		ThreadID: optional(c.Redact(q.GetThreadID())), RelatedTaskID: optional(c.Redact(q.GetRelatedTaskID())),
	}}
}

// checkRecipients runs before a thread is created.
func (c *node) checkRecipients(ctx context.Context, nodes []string, req request) (accepted []string, refused []*NoAnswerError) {
	leak := c.Scan(req)
	for _, node := range nodes {
		err := leak
		if err == nil {
			err = c.CheckRecipient(ctx, node)
		}
		if err != nil {
			refused = append(refused, c.unsent(node, err))
			continue
		}
		accepted = append(accepted, node)
	}
	return accepted, refused
}

// setThread sets req.ThreadID, unless the gateway has no threads. named reports that
// other questions may share the thread, so this one needs a number.
func (c *node) setThread(ctx context.Context, nodes []string, req *request) (named bool, err error) {
	if len(nodes) == 0 || req.ThreadID != "" {
		return true, nil
	}
	name := Conversation(ctx)
	if named = name != ""; !named {
		topic := rand.Text()
		if req.IdempotencyKey != "" {
			topic = digest(req.IdempotencyKey, c.Name)[:len(topic)]
		}
		name = askPrefix + topic
	}
	thread, err := c.OpenThread(ctx, name)
	if statusOf(err) == http.StatusNotFound || statusOf(err) == http.StatusMethodNotAllowed {
		return false, nil
	}
	if err == nil {
		req.ThreadID = thread.ID
	}
	return named, err
}

// outgoing is a question that has not been sent.
type outgoing struct {
	to  string
	req request
	// ownKey means that this package makes the idempotency key, if any; numbered, that it
	// made RelatedTaskID.
	ownKey, numbered bool

	failures int   // with 500, which may have stored the question
	refusals int   // to take the number, with a 4xx status
	stored   bool  // the gateway has the numbered question under the key
	failed   error // in the last attempt
}

// outgoing gives the question a key: it then arrives once even if it is sent again.
// Without a thread it adds none, because such gateways may ignore keys.
func (c *node) outgoing(node string, req request, numbered bool) *outgoing {
	key := req.IdempotencyKey
	if key != "" {
		key = "ask-" + digest(key, node)
	}
	if numbered {
		req.RelatedTaskID = newNumber(key, c.Name)
	}
	if req.IdempotencyKey = key; key == "" && req.ThreadID != "" {
		req.IdempotencyKey = "ask-" + rand.Text()
	}
	return &outgoing{to: node, req: req, ownKey: key == "", numbered: numbered}
}

// checkAsk validates a question, sets its kind, and resolves aliases.
func (c *node) checkAsk(to []string, req *request) ([]string, error) {
	if req.To != "" {
		return nil, invalid("To", "must be empty; the recipients are in to")
	}
	if req.Kind != "" && req.Kind != client.KindQuestion {
		return nil, c.NameError("Kind", string(req.Kind), "must be empty or question")
	}
	req.Kind = client.KindQuestion
	if len(to) == 0 {
		return nil, invalid("to", "must not be empty")
	}
	nodes := make([]string, len(to))
	for i := range to {
		nodes[i] = c.Resolve(to[i])
		if err := c.CheckMessage(nodes[i], *req); err != nil {
			return nil, err
		}
		if nodes[i] == c.Name {
			return nil, c.NameError("To", nodes[i], "must not be the client's own node")
		}
		if slices.Contains(nodes[:i], nodes[i]) {
			return nil, c.NameError("to", nodes[i], "must not contain a node twice")
		}
	}
	return nodes, nil
}

func (c *node) checkQuestions(questions []message) error {
	seen := make(map[int64]bool, len(questions))
	for _, q := range questions {
		if err := cmp.Or(checkMessageID(q.ID), c.CheckName("ToNode", q.ToNode), c.CheckQuery(query{ThreadID: q.GetThreadID()})); err != nil {
			return err
		}
		if q.FromNode != "" && q.FromNode != c.Name {
			return c.NameError("FromNode", q.FromNode, "must be empty or the client's own node")
		}
		if seen[q.ID] {
			return invalidValue("questions", q.ID, "must not contain a question twice")
		}
		seen[q.ID] = true
	}
	return nil
}

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

// NoAnswerError reports a question without an answer. Err is the reason: the question was
// not sent, the context ended, the client was closed, or the gateway refused to list the
// answers. errors.Is and errors.As find Err.
type NoAnswerError struct {
	// Question has what [Await] needs of the receipt of the question. If there is no
	// receipt, only ToNode is set. Nothing was sent then, unless Err is a
	// [*client.MeshGatewayError] with Delivered or Uncertain. Tokens and text that looks
	// like a credential are redacted: the recipient may be one that was given in the wrong
	// place.
	Question client.MeshMessage
	// Err is the reason.
	Err error
}

func (e *NoAnswerError) Error() string {
	reason := strings.TrimPrefix(e.Err.Error(), "mesh: ")
	if e.Question.ID == 0 {
		return fmt.Sprintf("mesh: no receipt of a question to %s: %s", e.Question.ToNode, reason)
	}
	return fmt.Sprintf("mesh: no answer of %s to question %d: %s", e.Question.ToNode, e.Question.ID, reason)
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
// registered, it can't receive a reply: the error is a [*client.NotInRegistryError] with
// Sender set, at once, or after a Serve or Answer of this client that is registering the
// node.
// An invalid request is a [*client.ValueError]. req.Kind must be "" or KindQuestion.
//
// Ask makes the checks of [client.MeshClient.Send], opens a thread for the question and
// posts it there. The answer is the recipient's first message of kind answer in this
// thread, as [client.MeshClient.Reply] sends it.
//
// # Waiting
//
// Ask polls after 0.1 seconds, then less often, up to every second, and after two minutes
// up to every five seconds. It keeps polling while the gateway is unreachable. It ends if
// the gateway has lost the question with its database, or if it refuses three polls in a
// row with a 4xx status other than 404, 408 and 429.
//
// When ctx ends, the question remains, and a later answer stays unread: [Await] keeps
// waiting. A Serve or Watch under the same name receives answers, too, unless it selects
// other kinds. If an answer can't be marked read, which is tried once unless the client
// has a retry policy, it is returned anyway. It stays unread, and a warning is logged.
//
// # In a named thread
//
// To ask in an existing thread, set req.ThreadID or pass a handler's context (see
// [Conversation]). The question then has a random number in RelatedTaskID, which a reply
// repeats, so several questions can wait in one thread. An answer without the number is
// not heard. If the gateway refuses the number twice, Ask logs a warning and sends the
// question without it.
//
// A question without a number, also because req has both ThreadID and RelatedTaskID, gets
// the recipient's next answer without a number in the thread. One Ask at a time waits for
// such an answer. It may belong to an earlier question, or to another program's.
//
// # Repeating a question
//
// After a 500, which may have stored the question, Ask repeats it under the same
// idempotency key. If req has a key, the thread and the number are derived from it: the
// same question asked again is sent once.
//
// # Older gateways
//
// A gateway without threads answers POST /threads with 404 or 405. The answer is then the
// first one outside threads, and one Ask at a time waits for a recipient. A late answer
// to an earlier question can be taken for it.
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
// All questions share one thread, and are sent before the first result. req.To must be
// "", and to must not be empty or name a node twice, or the only result is a
// [*client.ValueError]. Breaking out of the loop leaves the other questions, as the end
// of ctx does. Each range over the sequence asks again.
func AskAll(ctx context.Context, c *client.MeshClient, to []string, req client.SendRequest) iter.Seq2[client.MeshMessage, error] {
	return ask(ctx, c, slices.Clone(to), req)
}

// Await waits for answers to questions that were sent before, for example after a
// restart. It yields one result for each, as [AskAll] does.
//
// A question needs the ID, ToNode, ThreadID, RelatedTaskID and CreatedAt from its receipt
// or from a [NoAnswerError]. Without CreatedAt it is recognized by its ID, and a missing
// RelatedTaskID is looked up. Two questions without a number to one node in one thread
// get the first and the second answer. If a question is invalid or given twice, the only
// result is a [*client.ValueError].
func Await(ctx context.Context, c *client.MeshClient, questions ...client.MeshMessage) iter.Seq2[client.MeshMessage, error] {
	return func(yield func(message, error) bool) {
		n, err := of(ctx, c)
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
		n, err := of(ctx, c)
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

// checkRecipients looks the nodes up, before a thread is created.
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

// setThread sets the thread of a question, unless there are no recipients or the gateway
// has no threads. It reports whether the thread may have other questions.
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
	// ownKey means that this package makes the idempotency key, if there is one, and
	// numbered that it made the RelatedTaskID.
	ownKey, numbered bool

	failures int  // with 500, which may have stored the question
	refusals int  // to take the number, with a 4xx status
	stored   bool // the gateway has the numbered question under the key
}

// outgoing returns the question to one node. It has a key, so that it arrives once if it
// is sent again. Gateways without threads may ignore keys.
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

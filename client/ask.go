package client

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// NoAnswerError reports a question without an answer. Err is the reason: the question was not sent, the context ended, the client was
// closed, or the gateway refused to list the answers. errors.Is and errors.As find Err.
type NoAnswerError struct {
	// Question is the receipt of the question, for [MeshClient.Await]. If there is no receipt, only ToNode is set. Nothing was sent
	// then, unless Err is a [*MeshGatewayError] with Delivered or Uncertain.
	Question MeshMessage
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

// Is makes the error match [ErrMesh].
func (e *NoAnswerError) Is(target error) bool { return target == ErrMesh }

// Unwrap returns Err.
func (e *NoAnswerError) Unwrap() error { return e.Err }

// Ask sends a question and returns its answer, marked read. It waits until ctx ends: use context.WithTimeout. Without an answer
// the error is a [*NoAnswerError], or a [*ValueError] for an invalid request. req.Kind must be "" or KindQuestion.
//
// Ask makes the checks of [MeshClient.Send], opens a thread for the question and posts it there. The answer is the first message of
// the kind answer from the recipient in this thread. A node that replies in the thread of a question, as [MeshClient.Reply] does,
// needs nothing else; the client's own node must be registered to be replied to. With req.ThreadID the question is asked in that
// thread, and the answer has a higher id than the question. One Ask at a time then waits for a recipient in a thread, because two
// questions could not be told apart.
//
// Ask polls for the answer, after 0.1 seconds at first and every 2 seconds later. It keeps polling while the gateway cannot be
// reached. It ends if the gateway has lost the question with its database, which it checks after an error and every minute, or
// if it refuses three polls in a row with a status from 400 to 499 other than 404, 408 and 429.
//
// When ctx ends, the question and its thread remain, since the gateway deletes nothing. An answer that arrives later stays
// unread; [MeshClient.Await] goes on waiting for it. Ask takes answers that are read already, because another program of the same
// node may have marked them. A Serve or Watch of the node receives the answers too, unless it selects other kinds. An answer that
// cannot be marked is returned nevertheless, and a warning is logged. Its ReadAt is the value from before the mark.
//
// With an IdempotencyKey the name of the thread is derived from the key, so that the same question asked again is sent once.
//
// Older gateways have no threads (POST /threads is 404 or 405). The question then has no thread, and the answer is the first one
// outside of threads. One Ask at a time waits for a recipient. A late answer to an earlier question, or to another program of the
// same node, can be taken for the answer.
func (c *MeshClient) Ask(ctx context.Context, req SendRequest) (*MeshMessage, error) {
	to := req.To
	req.To = ""
	key := func(string) string { return req.IdempotencyKey }
	for m, err := range c.ask(ctx, []string{to}, req, key) {
		if err != nil {
			return nil, err
		}
		return &m, nil
	}
	return nil, c.ended(ctx) // not reached: there is one result for each recipient
}

// AskAll is [MeshClient.Ask] for several nodes. It opens one thread for all and yields one result for each recipient as it arrives: an
// answer, or a [*NoAnswerError]. A node that cannot be asked does not stop the others. All questions are sent before the first
// result, and one request at a time polls for all of them.
//
// req.To must be "", and to must not be empty or name a node twice: the result is one [*ValueError]. With an IdempotencyKey each
// recipient gets a key derived from it; a repeated call must have the same recipients. Each range over the sequence asks again.
// Breaking out of the loop leaves the other questions as the end of ctx does.
func (c *MeshClient) AskAll(ctx context.Context, to []string, req SendRequest) iter.Seq2[MeshMessage, error] {
	if req.To != "" {
		return failing(&ValueError{Field: "To", Reason: "must be empty; the recipients are in to"})
	}
	return c.ask(ctx, slices.Clone(to), req, func(node string) string {
		if req.IdempotencyKey == "" {
			return ""
		}
		return "ask-" + digest(req.IdempotencyKey, node)
	})
}

// Await goes on waiting for questions that were sent before, for example after a restart. It yields one result for each question
// as [MeshClient.AskAll] does. A question needs the ID, ToNode, ThreadID and CreatedAt of its receipt or of a
// [NoAnswerError]; one without CreatedAt is recognized by its ID. Two questions to one node in one thread get the first and the second
// answer. An invalid question, or one that is given twice, is one [*ValueError].
func (c *MeshClient) Await(ctx context.Context, questions ...MeshMessage) iter.Seq2[MeshMessage, error] {
	return func(yield func(MeshMessage, error) bool) {
		if err := c.checkQuestions(ctx, questions); err != nil {
			yield(MeshMessage{}, err)
			return
		}
		w := &waiter{client: c, yield: yield, pending: slices.Clone(questions)}
		w.run(ctx)
	}
}

// failing returns a sequence of one error.
func failing(err error) iter.Seq2[MeshMessage, error] {
	return func(yield func(MeshMessage, error) bool) { yield(MeshMessage{}, err) }
}

// ask is AskAll with an idempotency key for each recipient.
func (c *MeshClient) ask(ctx context.Context, to []string, req SendRequest, key func(node string) string) iter.Seq2[MeshMessage, error] {
	return func(yield func(MeshMessage, error) bool) {
		if err := c.ready(ctx); err != nil {
			yield(MeshMessage{}, err)
			return
		}
		nodes, err := c.checkAsk(to, &req)
		if err != nil {
			yield(MeshMessage{}, err)
			return
		}
		w := &waiter{client: c, yield: yield, checked: time.Now()}
		accepted, refused := c.checkRecipients(ctx, nodes, req)
		req.ThreadID, err = c.threadFor(ctx, accepted, req)
		for _, node := range accepted {
			if err != nil {
				refused = append(refused, unsent(node, err))
				continue
			}
			own := req
			own.IdempotencyKey = key(node)
			w.unsent = append(w.unsent, outgoing{node, own})
		}
		w.refused = refused
		w.run(ctx)
	}
}

// unsent is the result of a question that was not sent.
func unsent(node string, err error) *NoAnswerError {
	return &NoAnswerError{Question: MeshMessage{ToNode: node}, Err: err}
}

// checkRecipients scans the question and looks the nodes up, before a thread is created.
func (c *MeshClient) checkRecipients(ctx context.Context, nodes []string, req SendRequest) (accepted []string, refused []*NoAnswerError) {
	leak := c.scanContent(req)
	for _, node := range nodes {
		err := leak
		if err == nil {
			err = c.checkRecipient(ctx, node)
		}
		if err != nil {
			refused = append(refused, unsent(node, err))
			continue
		}
		accepted = append(accepted, node)
	}
	return accepted, refused
}

// threadFor returns the id of the thread of a question, or "" if there are no recipients or the gateway has no threads.
func (c *MeshClient) threadFor(ctx context.Context, nodes []string, req SendRequest) (string, error) {
	if len(nodes) == 0 || req.ThreadID != "" {
		return req.ThreadID, nil
	}
	topic := rand.Text()
	if req.IdempotencyKey != "" {
		topic = digest(req.IdempotencyKey, c.node)[:len(topic)]
	}
	thread, err := c.OpenThread(ctx, c.threadName(nodes, "ask-"+topic))
	var failed *MeshGatewayError
	switch {
	case err == nil:
		return thread.ID, nil
	case errors.As(err, &failed) && (failed.StatusCode == http.StatusNotFound || failed.StatusCode == http.StatusMethodNotAllowed):
		return "", nil
	}
	return "", err
}

// threadName returns the name of a thread of the node with others, which are left out if the name is too long.
func (c *MeshClient) threadName(nodes []string, topic string) string {
	name := strings.Join(append([]string{c.node}, slices.Sorted(slices.Values(nodes))...), "↔") + ":" + topic
	if utf8.RuneCountInString(name) <= maxThreadName {
		return name
	}
	return c.node + ":" + topic
}

// digest returns a hash of texts in hexadecimal digits.
func digest(texts ...string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", texts))
	return hex.EncodeToString(sum[:])
}

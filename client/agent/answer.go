package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/mesh-gateway/mesh-go/client"
)

// AnswerOptions configures [Answer]. The zero value is valid: it answers questions.
type AnswerOptions struct {
	ServeOptions
	// AllKinds answers messages of all kinds, which Kinds then cannot select. Two programs
	// that answer answers exchange messages without end.
	AllKinds bool
	// AllowRules lists scan rule numbers that an answer may match, as in
	// [client.SendRequest].
	AllowRules []int
	// OnAnswer receives the outcome of each attempt to send a text: the receipt, or the
	// error. Both are nil if the gateway has another answer to the message already, from
	// before a crash or from another program that serves the node. It may be called from
	// several goroutines at the same time.
	OnAnswer func(message client.MeshMessage, receipt *client.MeshMessage, err error)
	// Spool is a directory for finished answers, which keeps them when the program ends, is
	// killed, or crashes before delivery. It is created if it does not exist, and only the
	// owner can read its files. If others can write to the directory or to one of the node's
	// files in it, or such a file is a link, the error is a *ValueError.
	//
	// The next Answer for the node, at the same gateway and with the same directory,
	// delivers them first, without another call of the function. A file has the answer, and
	// only those message fields that the delivery needs. It is removed when the message is
	// marked read. An answer that a send would refuse, for a credential for example, is not
	// written. An answer that was delivered just before a crash is not delivered twice: it
	// has an idempotency key, which older gateways ignore.
	Spool string
}

// Answer runs a bot: it calls a function for each question and sends the text that it
// returns. It polls every second for two minutes after a message and every five seconds
// when idle: the first question after a silence is answered within about seven seconds,
// the next ones within about two, plus the function's own time.
//
// The text goes to the message's sender as KindAnswer, in its thread and with its task,
// and the message is marked read. An empty text sends nothing. Without Kinds in the
// options only questions are answered. Everything else is as in [Serve].
//
// # What is paid once
//
// A finished answer is kept, and only its delivery is repeated: the function isn't called
// again for the message. It is given up after MaxAttempts failed deliveries; failures
// while the gateway is unreachable don't count. When ctx ends, waiting answers are sent
// until the first failure, and OnError receives the others, with [ErrAnswerLost] or
// [ErrAnswerKept].
//
// With a Spool, a finished answer is also in a file until it is delivered, and the next
// start delivers it first. Without it, a program that is killed after the function has
// returned calls it again at the next start. If the first text had been delivered, the
// second one is dropped: a message has one answer, by its idempotency key, which older
// gateways ignore.
//
// Waiting answers and messages are kept within 32 MiB; beyond that, each occupies a
// worker.
//
// # Refused texts
//
// If the credential scan refuses a text, or it can't be a message, the sender receives an
// answer that says so, without the text. The message is then marked read, and OnError
// receives the error. AllowRules allows scan rules.
func Answer(ctx context.Context, c *client.MeshClient, answer func(context.Context, client.MeshMessage) (string, error), opts AnswerOptions) error {
	given := len(opts.Kinds) > 0
	switch {
	case answer == nil:
		return invalid("answer", "must not be nil")
	case given && opts.AllKinds:
		return invalid("AllKinds", "must be false if Kinds is not empty")
	case !given && !opts.AllKinds:
		opts.Kinds = []client.Kind{client.KindQuestion}
	}
	return serve(ctx, c, answer, opts)
}

// ErrAnswerLost and ErrAnswerKept match the errors that OnError receives for a finished
// answer of [Answer] that is not delivered when ctx ends. One that is kept is in
// AnswerOptions.Spool.
var (
	ErrAnswerLost = errors.New("the answer is lost")
	ErrAnswerKept = errors.New("the answer is kept, and is delivered at the next start")
)

// deliver sends a job's answer, or a notice if it is refused.
func (s *server) deliver(j *job) error {
	if j.answer == "" {
		return nil
	}
	receipt, err := s.sendAnswer(j.message, j.answer)
	if notice := refusalNotice(err); notice != "" && j.refused == nil {
		j.refused, j.answer = err, notice
		return s.deliver(j)
	}
	if s.opts.OnAnswer != nil {
		s.opts.OnAnswer(j.message, receipt, err)
	}
	if err == nil && j.refused != nil {
		s.report(j.message, fmt.Errorf("the answer was refused, and the sender was told so: %w", j.refused))
	}
	return err
}

// sendAnswer sends the one answer to a message. The receipt is nil if there is an answer
// already, or if it is invalid.
func (s *server) sendAnswer(to message, text string) (*message, error) {
	receipt, err := s.client.CheckAndPost(s.handling, to.FromNode, request{
		Kind:           client.KindAnswer,
		Content:        text,
		RelatedTaskID:  to.GetRelatedTaskID(),
		ThreadID:       to.GetThreadID(),
		AllowRules:     s.opts.AllowRules,
		IdempotencyKey: s.client.ReplyKey(to, client.KindAnswer, ""), // whatever the text is
	}, true)
	conflict := statusOf(err) == http.StatusConflict
	if conflict && s.opts.Lease == 0 {
		s.hint.Do(func() {
			s.client.Log.Warn("a message has another answer already; if several programs serve the node, ServeOptions.Lease and mesh serve --share share its messages",
				"message", to.ID)
		})
	}
	if conflict || failedRequest(err).Delivered {
		return nil, nil //nolint:nilnil // see above
	}
	return receipt, err
}

// refusalNotice returns the answer in place of one that the checks before a send have
// refused for its text, or "".
func refusalNotice(err error) string {
	var leak *client.MeshSecretLeakError
	var invalid *client.ValueError
	switch {
	case errors.As(err, &leak):
		rule := leak.Finding.Rule
		return fmt.Sprintf("There is an answer, but it was not sent: it seems to contain a credential (rule %d, %s).", rule.Number, rule.Name)
	case errors.As(err, &invalid) && invalid.Field == "Content":
		return "There is an answer, but it was not sent: its text " + invalid.Reason + "."
	}
	return ""
}

// leave ends a job for which ctx leaves no time. A finished answer is sent once more,
// unless such a delivery has failed before.
func (s *server) leave(ctx context.Context, j *job, err error) {
	if !j.finished {
		return
	}
	s.ending.Lock()
	defer s.ending.Unlock()
	if !s.unreached {
		if err = s.deliver(j); err == nil {
			s.marks.send(ctx, mark{message: j.message, cause: "handled", saved: j.saved})
			return
		}
		s.unreached = classify(err) == away
	}
	s.finish(j.message)
	where := ErrAnswerLost
	if j.saved {
		where = ErrAnswerKept
	}
	s.report(j.message, fmt.Errorf("%w: %w", where, err))
}

// save keeps a finished answer in a file. One that a send refuses is not written.
func (s *server) save(j *job) {
	req := request{Kind: client.KindAnswer, Content: j.answer, AllowRules: s.opts.AllowRules}
	if s.spool == nil || s.client.CheckMessage(j.message.FromNode, req) != nil || s.client.Scan(req) != nil {
		return
	}
	err := s.spool.Save(j.message, j.answer)
	if j.saved = err == nil; !j.saved {
		s.report(j.message, fmt.Errorf("the answer is kept in memory only: %w", err))
	}
}

// marked ends the work on a message, which needs its answer's file no longer once it is
// read: without the mark it would be handled again.
func (s *server) marked(k mark, read bool) {
	if read && k.saved {
		if err := s.spool.Remove(k.message); err != nil {
			s.report(k.message, fmt.Errorf("the answer is delivered, but its file is not removed: %w", err))
		}
	}
	s.finish(k.message)
}

func (s *server) resume(ctx context.Context) {
	answers, err := s.spool.Load()
	if err != nil {
		s.report(message{}, err)
	}
	s.resumed = make(map[messageKey]bool)
	for _, a := range answers {
		j := &job{message: a.Message(), slots: s.sends, finished: true, saved: true, answer: a.Text}
		if !s.begin(j.message) {
			continue
		}
		s.resumed[keyOf(j.message)] = true
		s.running.Go(func() {
			if s.acquire(ctx, s.sends) {
				s.process(ctx, j)
				return
			}
			s.leave(ctx, j, context.Cause(ctx))
		})
	}
}

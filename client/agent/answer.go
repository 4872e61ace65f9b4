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
	// AllKinds answers every kind of message; Kinds must then be empty. Two bots that answer
	// answers never stop.
	AllKinds bool
	// AllowRules lists scan rules to ignore in answers, by number, as in
	// [client.SendRequest].
	AllowRules []int
	// OnAnswer is called after each attempt to send an answer, with the receipt or the
	// error. Both are nil if the answer arrived but its receipt is invalid, or if the
	// gateway already has another answer to the message: from before a crash, or from
	// another program that serves the node. OnAnswer must be safe for concurrent use.
	OnAnswer func(message client.MeshMessage, receipt *client.MeshMessage, err error)
	// Spool is a directory that keeps finished answers until they are delivered, even if the
	// program ends or is killed. It is created if it does not exist, and only the owner can
	// read its files. If others can write to the directory or to the node's files in it, or
	// if such a file is a link, the error is a [*client.ValueError].
	//
	// The next Answer for the same node, gateway and directory delivers them first, without
	// calling the function again. If the crash came just after a delivery, an idempotency
	// key prevents a duplicate, except at older gateways, which ignore keys.
	//
	// A file holds the answer and the message fields that its delivery needs, until the
	// message is marked read. If the gateway has lost the message, the file stays, and after
	// one failed delivery per start OnError gets its name. An answer that Send would refuse,
	// for example for a credential, is not written.
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
// Once the function has returned an answer, only the delivery is repeated. After
// MaxAttempts failed deliveries, Answer gives up; failures while the gateway is
// unreachable don't count. When ctx ends, each waiting answer is sent once more, until
// one finds the gateway unreachable. OnError receives those that weren't delivered, with
// [ErrAnswerLost] or [ErrAnswerKept].
//
// With a Spool, this holds even if the program is killed: the next start delivers the
// answer. Without a Spool, the next start calls the function again. If the first text was
// delivered, the second is dropped, except by older gateways: a message has one answer,
// identified by its idempotency key.
//
// Answers and messages waiting for another attempt may take 32 MiB. Beyond that, each one
// occupies a worker.
//
// # Refused texts
//
// If the credential scan refuses a text, or it can't be a message, for example because
// it's too long, the sender gets an answer that says so, without the text. The message is
// then marked read, and OnError receives the error. After a false positive, set
// AllowRules.
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

// ErrAnswerLost and ErrAnswerKept match OnError's errors for finished answers that
// [Answer] could not deliver before it ended. A kept answer is in AnswerOptions.Spool.
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

// sendAnswer sends the one answer to a message. Receipt and error are nil if the gateway
// already has an answer, or if its receipt is invalid.
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

// refusalNotice returns what to tell the sender if err refuses the answer's text, or ""
// for other errors.
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

// leave ends a job after ctx has ended. It sends a finished answer once more, unless an
// earlier one found the gateway unreachable.
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

// save writes no answer that a send would refuse: it may contain a credential.
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

// marked ends the work on a message. The answer's file must stay until the message is
// read: until then, a restart would handle the message again.
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

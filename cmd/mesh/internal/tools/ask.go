package tools

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
)

type askArguments struct {
	To      recipients  `json:"to" jsonschema:"nodes to ask"`
	Content content     `json:"content" jsonschema:"the question"`
	Thread  string      `json:"thread,omitempty" jsonschema:"name or id of a thread to ask in; default a new one"`
	Seconds waitSeconds `json:"seconds,omitempty" jsonschema:"default 30"`
}

type awaitArguments struct {
	Pending []toolQuestion `json:"pending" jsonschema:"from the previous result"`
	Seconds waitSeconds    `json:"seconds,omitempty" jsonschema:"default 30"`
}

// asking is a new question or, for mesh_await, Pending questions.
type asking struct {
	askArguments

	Pending []toolQuestion
}

// toolQuestion is an unanswered question. The agent passes it back to mesh_await.
type toolQuestion struct {
	ID        int64     `json:"id"`
	Content   toolAsked `json:"untrusted_content"`
	ThreadID  string    `json:"thread_id,omitempty"`
	Task      string    `json:"task,omitempty"` // task number
	CreatedAt string    `json:"created_at,omitempty"`
}

// toolAsked is untrusted: another node can send a question in this node's name.
type toolAsked struct {
	To   nodeName `json:"to"`
	Text string   `json:"text,omitempty"`
}

// maxQuestion bounds the question text that a result repeats, in bytes.
const maxQuestion = 200

func toToolQuestion(q client.MeshMessage, text string) toolQuestion {
	asked := toolAsked{nodeName(q.ToNode), text[:fitting(text, maxQuestion)]}
	return toolQuestion{q.ID, asked, q.GetThreadID(), q.GetRelatedTaskID(), q.CreatedAt}
}

// toolAnswer is an answer with the start of its question's text. QuestionID is set for
// questions in Pending.
type toolAnswer struct {
	toolMessage
	QuestionID int64      `json:"question_id,omitempty"`
	Question   *untrusted `json:"question,omitempty"`
}

// toToolAnswer leaves Content empty; toolAnswers.add sets it.
func (in asking) toToolAnswer(m client.MeshMessage) toolAnswer {
	out := toolAnswer{toolMessage: toToolMessage(m)}
	out.Read = nil // this call marks it read
	text := string(in.Content)[:fitting(string(in.Content), maxQuestion)]
	for _, q := range in.Pending {
		if string(q.Content.To) == m.FromNode && q.ThreadID == m.GetThreadID() && (q.Task == "" || q.Task == m.GetRelatedTaskID()) {
			out.QuestionID, text = q.ID, q.Content.Text
		}
	}
	if text != "" {
		out.Question = &untrusted{text}
	}
	return out
}

func (in asking) textOf(id int64) string {
	for _, q := range in.Pending {
		if q.ID == id {
			return q.Content.Text
		}
	}
	return string(in.Content)
}

// toolAnswers has the answers so far. If the last one was cut, NextID and NextOffset say
// where it goes on.
type toolAnswers struct {
	Notice     string         `json:"notice"`
	Answers    []toolAnswer   `json:"answers"`
	Refused    []toolRefusal  `json:"refused"`
	Pending    []toolQuestion `json:"pending"`
	NextID     int64          `json:"next_id,omitempty"`
	NextOffset int            `json:"next_offset,omitempty"`
}

// toolRefusal is a node that couldn't be asked, or a question we can't wait for.
type toolRefusal struct {
	To    untrusted `json:"to"`
	Error string    `json:"error"`
}

func (t *meshTools) ask(call context.Context, p progress, in askArguments) (toolAnswers, error) {
	return t.answers(call, p, asking{askArguments: in})
}

func (t *meshTools) await(call context.Context, p progress, in awaitArguments) (toolAnswers, error) {
	if len(in.Pending) == 0 {
		return toolAnswers{}, errors.New("pending must not be empty; mesh_pending lists unanswered questions")
	}
	return t.answers(call, p, asking{askArguments{Seconds: in.Seconds}, in.Pending})
}

// answers waits until the time ends or the result is full. Later answers stay unread.
func (t *meshTools) answers(call context.Context, p progress, in asking) (toolAnswers, error) {
	ctx, end := p.begin(call, in.Seconds)
	defer end()
	results, err := t.results(ctx, in)
	if err != nil {
		return toolAnswers{}, err
	}
	out := toolAnswers{Notice: notice, Answers: []toolAnswer{}, Refused: []toolRefusal{}, Pending: []toolQuestion{}}
	room := maxResult
	for m, err := range results {
		var none *agent.NoAnswerError
		switch {
		case err == nil:
			if room = out.add(in.toToolAnswer(m), m, room); room <= 0 {
				end() // the rest is pending
			}
		case !errors.As(err, &none):
			return toolAnswers{}, err
		default:
			out.addMissing(none, in.textOf(none.Question.ID), ctx.Err() != nil)
		}
	}
	if call.Err() != nil {
		return toolAnswers{}, errCanceled
	}
	return out, nil
}

// results asks, or keeps waiting for Pending.
func (t *meshTools) results(ctx context.Context, in asking) (iter.Seq2[client.MeshMessage, error], error) {
	if len(in.Pending) > 0 {
		questions := make([]client.MeshMessage, len(in.Pending))
		for i, q := range in.Pending {
			questions[i] = client.MeshMessage{ID: q.ID, ToNode: string(q.Content.To), CreatedAt: q.CreatedAt}
			if q.ThreadID != "" {
				questions[i].ThreadID = &q.ThreadID
			}
			if q.Task != "" {
				questions[i].RelatedTaskID = &q.Task
			}
		}
		return agent.Await(ctx, t.client, questions...), nil
	}
	to := in.To.names()
	thread, err := mail.AskThread(ctx, t.client, t.scanner, to, string(in.Content), in.Thread)
	if err != nil {
		return nil, err
	}
	return agent.AskAll(ctx, t.client, to, client.SendRequest{Content: string(in.Content), ThreadID: thread}), nil
}

// add cuts the answer to the room left, and returns the new room.
func (a *toolAnswers) add(shown toolAnswer, m client.MeshMessage, room int) int {
	text := m.GetContent()
	end := fitting(text, max(0, room-size(shown)))
	shown.Content = text[:end]
	a.Answers = append(a.Answers, shown)
	if end < len(text) {
		a.NextID, a.NextOffset = m.ID, end
		return 0
	}
	return room - size(shown)
}

// withoutRecipient removes the node name from an error: another node may have chosen it.
func withoutRecipient(err error) error {
	var unknown *client.NotInRegistryError
	if errors.As(err, &unknown) {
		return errors.New("the node is not registered; mesh_peers lists the nodes")
	}
	return err
}

// addMissing adds a question to Pending if it's unanswered only because the time has
// ended, else to Refused.
func (a *toolAnswers) addMissing(none *agent.NoAnswerError, text string, ended bool) {
	q := none.Question
	if q.ID != 0 && ended && (errors.Is(none, context.DeadlineExceeded) || errors.Is(none, context.Canceled)) {
		a.Pending = append(a.Pending, toToolQuestion(q, text))
		return
	}
	a.Refused = append(a.Refused, toolRefusal{untrusted{q.ToNode}, explain(withoutRecipient(none.Err))})
}

// maxWait is in seconds: clients give up on calls that take minutes.
const maxWait = 60

// waitInterval separates inbox polls, and progress reports.
const waitInterval = time.Second

type waitArguments struct {
	Seconds waitSeconds `json:"seconds,omitempty" jsonschema:"default 30"`
	From    nodeName    `json:"from,omitempty" jsonschema:"only a message from this node"`
	Kind    client.Kind `json:"kind,omitempty" jsonschema:"only a message with this kind"`
	Thread  string      `json:"thread,omitempty" jsonschema:"only a message in the thread with this name or id"`
}

// errCanceled keeps a canceled wait from looking like an empty inbox.
var errCanceled = errors.New("the wait was canceled")

// wait returns the oldest unread message, or no messages once the time ends. It keeps
// polling after gateway errors, except for a refused token, and finally returns the last
// poll's error: that must not look like an empty inbox. Polls use call, not ctx: at a
// slow gateway, one poll can take longer than the wait.
func (t *meshTools) wait(call context.Context, p progress, in waitArguments) (toolMessages, error) {
	ctx, end := p.begin(call, in.Seconds)
	defer end()
	thread, err := mail.ThreadID(call, t.client, t.scanner, in.Thread)
	if err != nil {
		return toolMessages{}, err
	}
	selected := client.FetchOptions{UnreadOnly: true, Limit: window, FromNode: string(in.From), Kind: in.Kind, ThreadID: thread}
	for {
		unread, err := t.unread(call, selected)
		switch {
		case call.Err() != nil:
			return toolMessages{}, errCanceled
		case len(unread) > 0 || ctx.Err() != nil || err != nil && !mayPass(err):
			return page(unread[:min(len(unread), 1)], position{}, 1, toToolMessage), err
		}
		select {
		case <-ctx.Done():
		case <-time.After(waitInterval):
		}
	}
}

// unread filters again, because older gateways ignore the selection.
func (t *meshTools) unread(ctx context.Context, selected client.FetchOptions) ([]client.MeshMessage, error) {
	messages, _, _, err := mail.Newest(ctx, t.client, selected)
	messages = slices.DeleteFunc(messages, func(m client.MeshMessage) bool {
		return selected.FromNode != "" && m.FromNode != selected.FromNode || selected.Kind != "" && m.Kind != selected.Kind ||
			selected.ThreadID != "" && m.GetThreadID() != selected.ThreadID
	})
	return oldestFirst(messages, position{}), err
}

func mayPass(err error) bool {
	var failed *client.MeshGatewayError
	var denied *client.MeshAuthError
	return errors.As(err, &failed) && !errors.As(err, &denied)
}

// progress reports progress if the client asked for it.
type progress struct{ request *mcp.CallToolRequest }

// begin limits the call's time and reports every second until end is called. No report
// may follow the result, so end waits.
func (p progress) begin(call context.Context, seconds waitSeconds) (ctx context.Context, end func()) {
	total := time.Duration(cmp.Or(seconds, 30)) * time.Second
	ctx, cancel := context.WithTimeout(call, total)
	token := p.request.Params.GetProgressToken()
	if token == nil {
		return ctx, cancel
	}
	var reports sync.WaitGroup
	reports.Go(func() {
		begin, ticks := time.Now(), time.NewTicker(waitInterval)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				// on an error the session ends, and so does the call
				_ = p.request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: time.Since(begin).Seconds(), Total: total.Seconds(), Message: "waiting for a message",
				})
			}
		}
	})
	return ctx, func() {
		cancel()
		reports.Wait()
	}
}

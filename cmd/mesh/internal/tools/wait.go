package tools

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
)

// maxWait bounds a wait, in seconds: clients give up on calls that take minutes.
const maxWait = 60

// waitInterval is the time between two polls of the inbox, and between two reports of progress.
const waitInterval = time.Second

type waitArguments struct {
	Seconds waitSeconds `json:"seconds,omitempty" jsonschema:"default 30"`
	From    nodeName    `json:"from,omitempty" jsonschema:"only a message of this node"`
	Kind    kindName    `json:"kind,omitempty" jsonschema:"only a message of this kind"`
	Thread  string      `json:"thread,omitempty" jsonschema:"only a message in the thread with this name or id"`
}

// errCanceled is the answer to a wait that its caller or a signal ends: it must not look like an empty inbox.
var errCanceled = errors.New("the wait was canceled")

// wait returns the oldest unread message, or none after the time. It waits through errors of the gateway, except for a refused token, and
// returns the error of the last poll, which must not look like an empty inbox.
func (t *meshTools) wait(call context.Context, p progress, in waitArguments) (toolMessages, error) {
	longest := time.Duration(cmp.Or(int(in.Seconds), 30)) * time.Second
	ctx, cancel := context.WithTimeout(call, longest)
	defer cancel()
	defer p.reportUntilDone(ctx, cancel, longest)()
	opts := client.WatchOptions{Interval: waitInterval, FromNode: string(in.From)}
	if in.Kind != "" {
		opts.Kinds = []client.Kind{client.Kind(in.Kind)}
	}
	m, err := t.await(call, ctx, opts, in.Thread)
	switch {
	case call.Err() != nil:
		return toolMessages{}, errCanceled
	case err != nil:
		return toolMessages{}, err
	case m == nil:
		return page(nil, position{}, 1), nil
	}
	return page([]client.MeshMessage{*m}, position{}, 1), nil
}

// await returns the oldest unread message, or nil when ctx ends. Watch ends without a word when ctx ends during a poll, and reports
// no poll that succeeds without a message: polls before and after it distinguish an empty inbox from a gateway that does not answer. They may
// take longer than the wait, which would otherwise fail at a slow gateway.
func (t *meshTools) await(call, ctx context.Context, opts client.WatchOptions, thread string) (m *client.MeshMessage, err error) {
	if thread != "" {
		if opts.ThreadID, err = mail.ThreadID(call, t.client, t.scanner, thread); err != nil {
			return nil, err
		}
	}
	m, err = t.poll(call, opts)
	if m != nil || err != nil && (ctx.Err() != nil || !mayPass(err)) {
		return m, err
	}
	failed := err != nil
	var row *client.RowError
	for m, err := range t.client.Watch(ctx, opts) {
		switch {
		case err == nil:
			return &m, nil
		case errors.As(err, &row): // polling goes on beside a message that cannot be decoded
		case !mayPass(err):
			return nil, err
		default:
			failed = true
		}
	}
	if !failed || call.Err() != nil {
		return nil, nil //nolint:nilnil // no message
	}
	return t.poll(call, opts)
}

// poll returns the oldest unread message now, or nil. Older gateways ignore the selection.
func (t *meshTools) poll(ctx context.Context, opts client.WatchOptions) (*client.MeshMessage, error) {
	selected := client.FetchOptions{UnreadOnly: true, Limit: window, FromNode: opts.FromNode, ThreadID: opts.ThreadID}
	for _, kind := range opts.Kinds { // at most one
		selected.Kind = kind
	}
	unread, _, _, err := mail.Newest(ctx, t.client, selected)
	unread = slices.DeleteFunc(unread, func(m client.MeshMessage) bool {
		return opts.FromNode != "" && m.FromNode != opts.FromNode || selected.Kind != "" && m.Kind != selected.Kind ||
			opts.ThreadID != "" && m.GetThreadID() != opts.ThreadID
	})
	var row *client.RowError
	switch {
	case len(unread) > 0:
		return &oldestFirst(unread, position{})[0], nil
	case errors.As(err, &row):
		return nil, nil //nolint:nilnil // the other messages were decoded
	default:
		return nil, err
	}
}

// mayPass reports whether a later poll may succeed.
func mayPass(err error) bool {
	var failed *client.MeshGatewayError
	var denied *client.MeshAuthError
	return errors.As(err, &failed) && !errors.As(err, &denied)
}

// progress reports the progress of a call, if its caller wants to know.
type progress struct{ request *mcp.CallToolRequest }

// reportUntilDone reports every second, until the function that it returns has been called: a report must not follow the result.
func (p progress) reportUntilDone(ctx context.Context, cancel context.CancelFunc, total time.Duration) (stop func()) {
	token := p.request.Params.GetProgressToken()
	if token == nil {
		return func() {}
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
				// An error means that the session ends, and with it the call.
				_ = p.request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: time.Since(begin).Seconds(), Total: total.Seconds(), Message: "waiting for a message",
				})
			}
		}
	})
	return func() {
		cancel()
		reports.Wait()
	}
}

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
	Kind    client.Kind `json:"kind,omitempty" jsonschema:"only a message of this kind"`
	Thread  string      `json:"thread,omitempty" jsonschema:"only a message in the thread with this name or id"`
}

// errCanceled is the answer to a wait that its caller or a signal ends: it must not look like an empty inbox.
var errCanceled = errors.New("the wait was canceled")

// wait returns the oldest unread message, or none after the time. It waits through errors of the gateway, except for a refused token, and
// returns the error of the last poll, which must not look like an empty inbox. A poll may take longer than the wait, which would
// otherwise fail at a slow gateway.
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

// unread returns the unread messages that are selected, the oldest first. Older gateways ignore the selection.
func (t *meshTools) unread(ctx context.Context, selected client.FetchOptions) ([]client.MeshMessage, error) {
	messages, _, _, err := mail.Newest(ctx, t.client, selected)
	messages = slices.DeleteFunc(messages, func(m client.MeshMessage) bool {
		return selected.FromNode != "" && m.FromNode != selected.FromNode || selected.Kind != "" && m.Kind != selected.Kind ||
			selected.ThreadID != "" && m.GetThreadID() != selected.ThreadID
	})
	return oldestFirst(messages, position{}), err
}

// mayPass reports whether a later poll may succeed.
func mayPass(err error) bool {
	var failed *client.MeshGatewayError
	var denied *client.MeshAuthError
	return errors.As(err, &failed) && !errors.As(err, &denied)
}

// progress reports the progress of a call, if its caller wants to know.
type progress struct{ request *mcp.CallToolRequest }

// begin returns the context of a call that waits, and reports every second until end is called: a report must not follow the result.
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
				// An error means that the session ends, and with it the call.
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

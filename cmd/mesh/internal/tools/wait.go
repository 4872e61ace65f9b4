package tools

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
)

// maxWait bounds a wait, in seconds: clients give up on calls that take minutes.
const maxWait = 60

// waitInterval is the time between two polls of the inbox, and between two reports of progress.
const waitInterval = time.Second

type waitArguments struct {
	Seconds waitSeconds `json:"seconds,omitempty" jsonschema:"default 30"`
}

// errCanceled is the answer to a wait that its caller or a signal ends: it must not look like an empty inbox.
var errCanceled = errors.New("the wait was canceled")

// wait returns the oldest unread message, or none after the time. The poll at the beginning distinguishes an empty inbox from a
// gateway that does not answer: Watch ends without a word when its time ends during a poll. It may take longer than the wait, which
// would otherwise fail at a slow gateway.
func (t *messageTools) wait(call context.Context, p progress, in waitArguments) (toolMessages, error) {
	longest := time.Duration(cmp.Or(int(in.Seconds), 30)) * time.Second
	ctx, cancel := context.WithTimeout(call, longest)
	defer cancel()
	defer p.reportUntilDone(ctx, cancel, longest)()
	var row *client.RowError
	unread, _, _, err := lookup.Newest(call, t.client, client.FetchOptions{UnreadOnly: true, Limit: window})
	switch {
	case call.Err() != nil:
		return toolMessages{}, errCanceled
	case err != nil && !errors.As(err, &row):
		return toolMessages{}, err
	case len(unread) > 0:
		return page(oldestFirst(unread, position{})[:1], position{}, 1), nil
	}
	for m, err := range t.client.Watch(ctx, client.WatchOptions{Interval: waitInterval}) {
		switch {
		case err == nil:
			return page([]client.MeshMessage{m}, position{}, 1), nil
		case call.Err() != nil:
			return toolMessages{}, errCanceled
		case !errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &row): // polling goes on beside a message that cannot be decoded
			return toolMessages{}, err
		}
	}
	if call.Err() != nil {
		return toolMessages{}, errCanceled
	}
	return page(nil, position{}, 1), nil
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

package tools

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mesh-gateway/mesh-go/client"
)

// maxWait bounds a wait, in seconds: clients give up on calls that take minutes.
const maxWait = 60

// waitInterval is the time between two polls of the inbox, and between two reports of progress.
const waitInterval = time.Second

type waitArguments struct {
	Seconds waitSeconds `json:"seconds,omitempty" jsonschema:"longest wait in seconds; default 30"`
}

// wait returns the oldest unread message, or none after the time. The poll at the beginning distinguishes an empty inbox from a
// gateway that does not answer: Watch ends without a word when its time ends during a poll.
func (t *messageTools) wait(ctx context.Context, p progress, in waitArguments) (toolMessages, error) {
	longest := time.Duration(cmp.Or(int(in.Seconds), 30)) * time.Second
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	defer p.reportUntilDone(ctx, cancel, longest)()
	if _, err := t.client.Fetch(ctx, client.FetchOptions{UnreadOnly: true, Limit: 1}); err != nil {
		return toolMessages{}, err
	}
	for m, err := range t.client.Watch(ctx, client.WatchOptions{Interval: waitInterval}) {
		switch {
		case err == nil:
			return toToolMessages(m), nil
		case !errors.Is(err, context.DeadlineExceeded):
			return toolMessages{}, err
		}
	}
	return toToolMessages(), nil
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

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// idleInterval is the longest pause between two polls of a command that waits for mail.
const idleInterval = 30 * time.Second

// polls returns the options of a polling with --interval. An interval of 0 is the default, which grows while no message arrives.
func polls(interval time.Duration) client.WatchOptions {
	if interval == 0 {
		return client.WatchOptions{IdleInterval: idleInterval}
	}
	return client.WatchOptions{Interval: interval}
}

// watch prints unread messages until it is interrupted. An error of the gateway is a warning, since polling goes on; but a wrong
// token stays wrong.
func (a *app) watch(ctx context.Context, c *client.MeshClient, opts client.FetchOptions, interval time.Duration) error {
	a.progress.Stop()
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	var denied *client.MeshAuthError
	watch := polls(interval)
	watch.FromNode, watch.ThreadID = opts.FromNode, opts.ThreadID
	if opts.Kind != "" {
		watch.Kinds = []client.Kind{opts.Kind}
	}
	for m, err := range c.Watch(ctx, watch) {
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &denied) || err != nil && exitCode(err) == exitUsage:
			return err
		case err != nil:
			a.warn(err)
		default:
			if err := a.printLine(m, func(w io.Writer) error { return messageLine(w, m) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// messageLine prints a message in one line, which is cut or broken where the terminal would break it.
func messageLine(w io.Writer, m client.MeshMessage) error {
	line := fmt.Sprintf("%d  %s  %s  %s  %s", m.ID, shownNode(m.FromNode), shownKind(m.Kind), output.Time(m.CreatedAt), output.Shorten(m.GetContent()))
	if _, wide := w.(output.Wide); wide {
		line = output.Wrap(output.Line(line), indent, output.Width(w))
	} else {
		line = output.Cut(output.Line(line), output.Width(w))
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
)

// idleInterval is the longest pause between two polls of a command that waits for mail.
const idleInterval = 30 * time.Second

func newInbox(a *app) *cobra.Command {
	var opts client.FetchOptions
	var kind string
	var watch bool
	cmd := &cobra.Command{
		Use:   "inbox",
		Short: "List the own inbox, newest first; nothing is marked read",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.Kind = client.Kind(kind)
			if watch {
				return a.watch(cmd.Context(), opts)
			}
			return a.inbox(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVar(&opts.UnreadOnly, "unread", false, "only unread messages")
	cmd.Flags().StringVar(&opts.FromNode, "from", "", "only messages of this node")
	cmd.Flags().StringVar(&kind, "kind", "", "only messages of this kind: fyi, question, answer, status or unblock")
	cmd.Flags().StringVar(&opts.ThreadID, "thread", "", "only messages of the thread with this id")
	cmd.Flags().StringVar(&opts.Since, "since", "", "only messages after this time, a created_at as the gateway wrote it")
	cmd.Flags().IntVar(&opts.Limit, "limit", 0, "at most so many messages, 1 to 1000 (default 100)")
	cmd.Flags().BoolVar(&watch, "watch", false, "print unread messages as they come, oldest first, until interrupted")
	cmd.MarkFlagsMutuallyExclusive("watch", "since")
	cmd.MarkFlagsMutuallyExclusive("watch", "limit")
	complete(cmd, "kind", kinds...)
	return cmd
}

func (a *app) inbox(ctx context.Context, opts client.FetchOptions) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	messages, err := c.Fetch(ctx, opts)
	if err != nil {
		return err
	}
	return a.print(messages, func(w io.Writer) error { return messageTable(w, messages) })
}

func messageTable(w io.Writer, messages []client.MeshMessage) error {
	rows := make([][]string, len(messages))
	for i, m := range messages {
		state := "unread"
		if m.ReadAt != nil {
			state = "read"
		}
		rows[i] = []string{strconv.FormatInt(m.ID, 10), m.FromNode, string(m.Kind), when(m.CreatedAt), state, shorten(m.GetContent())}
	}
	return table(w, []string{"ID", "FROM", "KIND", "TIME", "STATE", "CONTENT"}, rows)
}

// watch prints unread messages until it is interrupted. An error of the gateway is a warning, since polling goes on.
func (a *app) watch(ctx context.Context, opts client.FetchOptions) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	a.progress.stop()
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	for m, err := range c.Watch(ctx, client.WatchOptions{IdleInterval: idleInterval}) {
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && exitCode(err) == exitUsage:
			return err
		case err != nil:
			fmt.Fprintln(a.errs, "mesh: warning:", printable(explain(err)))
		case selects(opts, m):
			if err := a.printLine(m, func(w io.Writer) error { return messageLine(w, m) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// selects reports whether a message passes the filters that Watch does not have.
func selects(opts client.FetchOptions, m client.MeshMessage) bool {
	return (opts.FromNode == "" || opts.FromNode == m.FromNode) &&
		(opts.Kind == "" || opts.Kind == m.Kind) &&
		(opts.ThreadID == "" || opts.ThreadID == m.GetThreadID())
}

func messageLine(w io.Writer, m client.MeshMessage) error {
	_, err := fmt.Fprintf(w, "%d  %s  %s  %s  %s\n",
		m.ID, oneLine(m.FromNode), oneLine(string(m.Kind)), oneLine(when(m.CreatedAt)), oneLine(shorten(m.GetContent())))
	return err
}

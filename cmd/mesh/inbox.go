package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// filterFlags select messages, in mesh inbox, sent and pending.
type filterFlags struct {
	client.FetchOptions
	kind, since string
}

// inboxFlags are the flags of mesh inbox.
type inboxFlags struct {
	filterFlags
	watch    bool
	interval time.Duration
}

func newInbox(a *app) *cobra.Command {
	var f inboxFlags
	cmd := &cobra.Command{
		Use:               "inbox",
		Short:             "List the inbox of this node, newest first; nothing is marked read",
		Example:           "  mesh inbox --unread\n  mesh inbox --from node-b --since 2026-11-21\n  mesh inbox --watch -o json",
		Args:              args(cobra.NoArgs),
		ValidArgsFunction: completeNothing,
		RunE: a.asNode(func(ctx context.Context, c *client.MeshClient, _ []string) error {
			opts, err := f.options()
			if err != nil {
				return err
			}
			if opts.ThreadID, err = a.threadID(ctx, c, opts.ThreadID); err != nil {
				return err
			}
			if f.watch {
				return a.watch(ctx, c, opts, f.interval)
			}
			if f.interval != 0 {
				return usagef("--interval needs --watch")
			}
			shown, err := a.inbox(ctx, c, opts)
			if err != nil || shown > 0 {
				return err
			}
			a.warnUnregistered(ctx, c, "cannot receive messages")
			return nil
		}),
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.UnreadOnly, "unread", false, "only unread messages")
	flags.StringVar(&f.FromNode, "from", "", "only messages of this node")
	flags.StringVar(&f.ThreadID, "thread", "", "only messages of the thread with this name or id")
	f.add(cmd)
	flags.BoolVar(&f.watch, "watch", false, "print unread messages as they arrive, oldest first, until interrupted")
	flags.DurationVar(&f.interval, "interval", 0, "with --watch: time between two polls (default 5s, growing to 30s while nothing arrives)")
	exclude(cmd, "watch", "since", "limit")
	complete(cmd, "from", a.completeNode)
	return cmd
}

// add adds the flags of mesh inbox and mesh sent.
func (f *filterFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.kind, "kind", "", "only messages of this kind: fyi, question, answer, status or unblock")
	cmd.Flags().StringVar(&f.since, "since", "", "only messages after this time: a UTC day, 7d for seven days ago, or an RFC 3339 time")
	cmd.Flags().IntVar(&f.Limit, "limit", 0, "maximum number of messages, 1 to 1000 (default 100)")
	complete(cmd, "kind", completeKind)
}

// defaultLimit is the gateway's default.
const defaultLimit = 100

// inbox prints the newest messages that opts selects, fewer if they are too large for one response. It returns their number.
func (a *app) inbox(ctx context.Context, c *client.MeshClient, opts client.FetchOptions) (int, error) {
	opts.Limit = cmp.Or(opts.Limit, defaultLimit)
	messages, invalid, full, err := lookup.Newest(ctx, c, opts)
	if err != nil {
		return 0, err
	}
	if err := a.print(messages, func(w io.Writer) error { return messageTable(w, messages) }); err != nil {
		return 0, err
	}
	a.warnInvalid(invalid)
	shown := len(messages) + len(invalid)
	if full && shown < opts.Limit {
		a.warn(fmt.Errorf("only the newest %d messages are listed, since more are too large for one response; mesh read ID prints an older one", shown))
	}
	return shown, nil
}

// options checks the filters. A gateway answers a filter that it does not know with an empty list.
func (f filterFlags) options() (client.FetchOptions, error) {
	kind, err := lookup.Kind(f.kind)
	if err != nil {
		return f.FetchOptions, usagef("--kind: %w", err)
	}
	since, err := lookup.Time(f.since)
	if err != nil {
		return f.FetchOptions, usagef("--since: %w", err)
	}
	f.Kind = kind
	if f.since != "" {
		f.Since = gatewayTime(since)
	}
	return f.FetchOptions, nil
}

// gatewayTime formats a time as the gateway writes it, which compares times as texts.
func gatewayTime(t time.Time) string {
	if t.Nanosecond() == 0 {
		return t.UTC().Format("2006-01-02T15:04:05+00:00")
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000+00:00")
}

func messageTable(w io.Writer, messages []client.MeshMessage) error {
	rows := make([][]string, len(messages))
	for i, m := range messages {
		rows[i] = []string{strconv.FormatInt(m.ID, 10), shownNode(m.FromNode), shownKind(m.Kind), output.Time(m.CreatedAt), readState(&m), output.Shorten(m.GetContent())}
	}
	return output.Table(w, []output.Column{output.Key("ID"), output.Key("FROM"), output.Plain("KIND", 3), output.Plain("TIME", 2), output.Plain("STATE", 1), output.Free("CONTENT")}, rows)
}

// readState returns whether a message was read.
func readState(m *client.MeshMessage) string {
	if m.ReadAt == nil {
		return "unread"
	}
	return "read"
}

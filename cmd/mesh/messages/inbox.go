package messages

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/internal/table"
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

// NewInbox returns the command mesh inbox.
func NewInbox(a *app.App) *cobra.Command {
	var f inboxFlags
	cmd := &cobra.Command{
		Use:               "inbox",
		Short:             "List the inbox of this node, newest first; nothing is marked read",
		Example:           "  mesh inbox --unread\n  mesh inbox --from node-b --since 2026-11-21\n  mesh inbox --watch -o json",
		Args:              app.Args(cobra.NoArgs),
		ValidArgsFunction: app.CompleteNothing,
		RunE: a.AsNode(func(ctx context.Context, c *client.MeshClient, _ []string) error {
			opts, err := f.options()
			if err != nil {
				return err
			}
			if opts.ThreadID, err = threadID(a, ctx, c, opts.ThreadID); err != nil {
				return err
			}
			if f.watch {
				return watch(a, ctx, c, opts, f.interval)
			}
			if f.interval != 0 {
				return exit.Usagef("--interval needs --watch")
			}
			shown, err := inbox(a, ctx, c, opts)
			if err != nil || shown > 0 {
				return err
			}
			a.WarnUnregistered(ctx, c, "cannot receive messages")
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
	app.Exclude(cmd, "watch", "since", "limit")
	app.Complete(cmd, "from", a.CompleteNode)
	return cmd
}

// add adds the flags of mesh inbox and mesh sent.
func (f *filterFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.kind, "kind", "", "only messages of this kind: fyi, question, answer, status or unblock")
	cmd.Flags().StringVar(&f.since, "since", "", "only messages after this time: a UTC day, 7d for seven days ago, or an RFC 3339 time")
	cmd.Flags().IntVar(&f.Limit, "limit", 0, "maximum number of messages, 1 to 1000 (default 100)")
	app.Complete(cmd, "kind", app.CompleteKind)
}

// defaultLimit is the gateway's default.
const defaultLimit = 100

// inbox prints the newest messages that opts selects, fewer if they are too large for one response. It returns their number.
func inbox(a *app.App, ctx context.Context, c *client.MeshClient, opts client.FetchOptions) (int, error) {
	opts.Limit = cmp.Or(opts.Limit, defaultLimit)
	messages, invalid, full, err := mail.Newest(ctx, c, opts)
	if err != nil {
		return 0, err
	}
	if err := a.Print(messages, func(w io.Writer) error { return messageTable(w, messages) }); err != nil {
		return 0, err
	}
	a.WarnInvalid(invalid)
	shown := len(messages) + len(invalid)
	if full && shown < opts.Limit {
		a.Warn(fmt.Errorf("only the newest %d messages are listed, since more are too large for one response; mesh read ID prints an older one", shown))
	}
	return shown, nil
}

// options checks the filters. A gateway answers a filter that it does not know with an empty list.
func (f filterFlags) options() (client.FetchOptions, error) {
	kind, err := mail.Kind(f.kind)
	if err != nil {
		return f.FetchOptions, exit.Usagef("--kind: %w", err)
	}
	since, err := dates.Time(f.since)
	if err != nil {
		return f.FetchOptions, exit.Usagef("--since: %w", err)
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
		rows[i] = []string{strconv.FormatInt(m.ID, 10), mail.ShownNode(m.FromNode), mail.ShownKind(m.Kind), output.Time(m.CreatedAt), readState(&m), output.Shorten(m.GetContent())}
	}
	return output.Table(w, []table.Column{table.Key("ID"), table.Key("FROM"), table.Plain("KIND", 3), table.Plain("TIME", 2), table.Plain("STATE", 1), table.Free("CONTENT")}, rows)
}

// readState returns whether a message was read.
func readState(m *client.MeshMessage) string {
	if m.ReadAt == nil {
		return "unread"
	}
	return "read"
}

package messages

import (
	"cmp"
	"context"
	"fmt"
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

// filters select messages, in mesh inbox, sent and pending.
type filters struct {
	*app.App
	client.FetchOptions
	since string
}

// inboxOptions are the flags of mesh inbox.
type inboxOptions struct {
	filters
	watch    bool
	interval time.Duration
}

// NewInbox returns the command mesh inbox.
func NewInbox(a *app.App) *cobra.Command {
	o := &inboxOptions{filters: filters{App: a}}
	cmd := &cobra.Command{
		Use:               "inbox",
		Short:             "List the inbox of this node, newest first; nothing is marked read",
		Example:           "  mesh inbox --unread\n  mesh inbox --from node-b --since 2026-11-21\n  mesh inbox --watch -o json",
		Args:              cobra.NoArgs,
		ValidArgsFunction: app.CompleteNothing,
		RunE:              a.AsNode(o.run),
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.UnreadOnly, "unread", false, "only unread messages")
	flags.StringVar(&o.FromNode, "from", "", "only messages of this node")
	flags.StringVar(&o.ThreadID, "thread", "", "only messages of the thread with this name or id")
	o.add(cmd)
	flags.BoolVar(&o.watch, "watch", false, "print unread messages as they arrive, oldest first, until interrupted")
	flags.DurationVar(&o.interval, "interval", 0, "with --watch: time between two polls (default 5s, growing to 30s while nothing arrives)")
	app.Exclude(cmd, "watch", "since", "limit")
	app.Complete(cmd, "from", o.CompleteNode)
	return cmd
}

// add adds the flags of mesh inbox and mesh sent.
func (o *filters) add(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(&o.Kind), "kind", "", "only messages of this kind: fyi, question, answer, status or unblock")
	cmd.Flags().StringVar(&o.since, "since", "", "only messages after this time: a UTC day, 7d for seven days ago, or an RFC 3339 time")
	cmd.Flags().IntVar(&o.Limit, "limit", 0, "maximum number of messages, 1 to 1000 (default 100)")
	app.Complete(cmd, "kind", app.CompleteKind)
}

// defaultLimit is the gateway's default.
const defaultLimit = 100

// run prints the messages of this node, or with --watch those that arrive.
func (o *inboxOptions) run(ctx context.Context) error {
	if err := o.resolve(ctx); err != nil {
		return err
	}
	if o.watch {
		return o.printArrivals(ctx)
	}
	if o.interval != 0 {
		return exit.Usagef("--interval needs --watch")
	}
	shown, err := o.printNewest(ctx)
	if err == nil && shown == 0 {
		o.WarnUnregistered(ctx, "cannot receive messages")
	}
	return err
}

// printNewest prints the newest messages, fewer if they are too large for one response. It returns their number.
func (o *inboxOptions) printNewest(ctx context.Context) (int, error) {
	o.Limit = cmp.Or(o.Limit, defaultLimit)
	messages, invalid, full, err := mail.Newest(ctx, o.Client, o.FetchOptions)
	if err != nil {
		return 0, err
	}
	columns := []table.Column{table.Key("ID"), table.Key("FROM"), table.Plain("KIND", 3), table.Plain("TIME", 2), table.Plain("STATE", 1), table.Free("CONTENT")}
	if err := o.PrintTable(messages, columns, table.Rows(messages, func(m *client.MeshMessage) []string {
		return []string{strconv.FormatInt(m.ID, 10), mail.ShownNode(m.FromNode), mail.ShownKind(m.Kind), output.Time(m.CreatedAt), mail.ReadState(m), output.Shorten(m.GetContent())}
	})); err != nil {
		return 0, err
	}
	o.WarnInvalid(invalid)
	shown := len(messages) + len(invalid)
	if full && shown < o.Limit {
		o.Warn(fmt.Errorf("only the newest %d messages are listed, since more are too large for one response; mesh read ID prints an older one", shown))
	}
	return shown, nil
}

// resolve checks the filters. A gateway answers a filter that it does not know with an empty list.
func (o *filters) resolve(ctx context.Context) error {
	if o.Kind != "" && !o.Kind.Valid() {
		return exit.Usagef("--kind %q must be %s", o.Kind, output.Alternatives(mail.Kinds))
	}
	since, err := dates.Time(o.since)
	if err != nil {
		return exit.Usagef("--since: %w", err)
	}
	if o.since != "" {
		o.Since = since.UTC().Format("2006-01-02T15:04:05.000000+00:00") // as the gateway writes a time: it compares them as texts
	}
	if err := o.CheckName("--to", o.ToNode); err != nil {
		return err
	}
	o.ThreadID, err = o.ThreadNamed(ctx, o.ThreadID)
	return err
}

package messages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

// filters are shared by mesh inbox, sent and pending.
type filters struct {
	*app.App
	client.FetchOptions
	since string
}

type inboxOptions struct {
	filters
	watch    bool
	interval time.Duration
}

// NewInbox returns the mesh inbox command.
func NewInbox(a *app.App) *cobra.Command {
	o := &inboxOptions{filters: filters{App: a}}
	cmd := &cobra.Command{
		Use:               "inbox",
		Short:             "List this node's inbox, newest first",
		Long:              "Inbox marks nothing read. With --watch it prints the oldest message first.",
		Example:           "  mesh inbox --unread\n  mesh inbox --from node-b --since 2026-11-21\n  mesh inbox --watch -o json",
		Args:              cobra.NoArgs,
		ValidArgsFunction: app.CompleteNothing,
		RunE:              a.AsNode(o.run),
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.UnreadOnly, "unread", false, "only unread messages")
	flags.StringVar(&o.FromNode, "from", "", "only messages from this node")
	flags.StringVar(&o.ThreadID, "thread", "", "only messages in the thread with this name or id")
	o.add(cmd)
	flags.BoolVar(&o.watch, "watch", false, "print unread messages as they arrive, oldest first")
	flags.DurationVar(&o.interval, "interval", 0, "polling `INTERVAL` of --watch (default 1s, to 5s when idle)")
	app.Exclude(cmd, "watch", "since", "limit")
	app.Complete(cmd, "from", o.CompleteNode)
	return cmd
}

// add registers flags for inbox and sent.
func (o *filters) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar((*string)(&o.Kind), "kind", "", "only this `KIND`: fyi, question, answer, status or unblock")
	flags.StringVar(&o.since, "since", "", "only messages after this `TIME`: a UTC day, 7d or RFC 3339")
	flags.IntVar(&o.Limit, "limit", 0, "maximum number of messages, 1 to 1000 (default 100)")
	app.Complete(cmd, "kind", app.CompleteKind)
}

// defaultLimit is the gateway's default.
const defaultLimit = 100

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

// printNewest prints fewer messages if they are too large for one response. It returns
// their number.
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
		o.Warn(fmt.Errorf("only the newest %d messages fit into one response; mesh read ID prints an older one", shown))
	}
	return shown, nil
}

// resolve checks the filters: a gateway returns an empty list for unknown values.
func (o *filters) resolve(ctx context.Context) error {
	if o.Kind != "" && !o.Kind.Valid() {
		return exit.Usagef("--kind %q must be %s", o.Kind, output.Alternatives(mail.Kinds))
	}
	since, err := dates.Time(o.since)
	if err != nil {
		return exit.Usagef("--since: %w", err)
	}
	if o.since != "" {
		o.Since = since.UTC().Format("2006-01-02T15:04:05.000000+00:00") // the gateway's format: it compares strings
	}
	if err := o.CheckName("--to", o.ToNode); err != nil {
		return err
	}
	o.ThreadID, err = o.ThreadNamed(ctx, o.ThreadID)
	return err
}

// NewRead returns the mesh read command.
func NewRead(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:               "read ID...",
		Short:             "Print messages in full and mark them read",
		Example:           "  mesh read 17 18\n  mesh read 17 -o json",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.CompleteMessage,
		RunE:              a.AsNode(func(ctx context.Context) error { return runRead(ctx, a) }),
	}
}

// runRead looks up every message before it prints one, and prints each before it marks
// it: if the output fails, the message stays unread.
func runRead(ctx context.Context, a *app.App) error {
	ids, err := messageIDs(a.Args)
	if err != nil {
		return err
	}
	found := make([]*client.MeshMessage, len(ids))
	for i, id := range ids {
		if found[i], err = agent.GetMessage(ctx, a.Client, id); err != nil {
			return err
		}
	}
	for _, m := range found {
		if err := a.PrintLine(m, func(w io.Writer) error { return mail.Full(w, *m) }); err != nil {
			return err
		}
		if m.ReadAt == nil {
			if err := a.Client.MarkRead(ctx, m.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// messageIDs removes duplicates.
func messageIDs(texts []string) ([]int64, error) {
	var ids []int64
	for _, text := range texts {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id <= 0 {
			return nil, exit.Usagef("message id %q must be a positive number", text)
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// printArrivals warns about gateway errors and keeps polling, except after a refused
// token.
func (o *inboxOptions) printArrivals(ctx context.Context) error {
	o.Progress.Stop()
	ctx, stop := app.UntilInterrupted(ctx)
	defer stop()
	var denied *client.MeshAuthError
	watch := agent.WatchOptions{Interval: o.interval, FromNode: o.FromNode, ThreadID: o.ThreadID}
	if o.Kind != "" {
		watch.Kinds = []client.Kind{o.Kind}
	}
	for m, err := range agent.Watch(ctx, o.Client, watch) {
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &denied) || err != nil && exit.Code(err) == exit.Usage:
			return err
		case err != nil:
			o.Warn(err)
		default:
			if err := o.PrintLine(m, func(w io.Writer) error { return messageLine(w, m) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// messageLine prints one line, cut or wrapped to the terminal.
func messageLine(w io.Writer, m client.MeshMessage) error {
	line := fmt.Sprintf("%d  %s  %s  %s  %s", m.ID, mail.ShownNode(m.FromNode), mail.ShownKind(m.Kind), output.Time(m.CreatedAt), output.Shorten(m.GetContent()))
	if _, wide := w.(output.Wide); wide {
		line = output.Wrap(output.Line(line), mail.Indent, output.Width(w))
	} else {
		line = output.Cut(output.Line(line), output.Width(w))
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

// NewSent returns the mesh sent command.
func NewSent(a *app.App) *cobra.Command {
	o := &filters{App: a}
	cmd := &cobra.Command{
		Use:               "sent",
		Short:             "List sent messages, newest first",
		Example:           "  mesh sent --to node-b --kind question\n  mesh sent --thread builds --limit 10",
		Args:              cobra.NoArgs,
		ValidArgsFunction: app.CompleteNothing,
		RunE:              a.AsNode(o.sent),
	}
	o.addSent(cmd)
	o.add(cmd)
	return cmd
}

// addSent registers flags for sent and pending.
func (o *filters) addSent(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.ToNode, "to", "", "only messages to this node")
	cmd.Flags().StringVar(&o.ThreadID, "thread", "", "only messages in the thread with this name or id")
	app.Complete(cmd, "to", o.CompleteNode)
}

func (o *filters) sent(ctx context.Context) error {
	if err := o.resolve(ctx); err != nil {
		return err
	}
	messages, err := o.Client.Sent(ctx, client.SentOptions{
		ToNode: o.ToNode, Kind: o.Kind, ThreadID: o.ThreadID, Since: o.Since, Limit: o.Limit,
	})
	return o.printSent(messages, err)
}

func (o *filters) printSent(messages []client.MeshMessage, err error) error {
	if err = o.SkipInvalid(err); err != nil {
		return err
	}
	columns := []table.Column{
		table.Key("ID"), table.Key("TO"), table.Plain("KIND", 4), table.Plain("TIME", 3), table.Plain("STATE", 2), table.Plain("THREAD", 1), table.Free("CONTENT"),
	}
	return o.PrintTable(messages, columns, table.Rows(messages, func(m *client.MeshMessage) []string {
		return []string{
			strconv.FormatInt(m.ID, 10), mail.ShownNode(m.ToNode), mail.ShownKind(m.Kind), output.Time(m.CreatedAt), mail.ReadState(m), output.Text(m.ThreadID), output.Shorten(m.GetContent()),
		}
	}))
}

// NewPending returns the mesh pending command.
func NewPending(a *app.App) *cobra.Command {
	o := &filters{App: a}
	cmd := &cobra.Command{
		Use:   "pending",
		Short: "List unanswered questions, oldest first",
		Long: `Pending lists questions from this node that have no answer. An answer is a later message of kind answer from the recipient, in the
question's thread, or outside threads like the question. A question from mesh ask --thread needs an answer with its number. Pending
checks only the newest 1000 questions that --to and --thread select.`,
		Example:           "  mesh pending\n  mesh pending --to node-b -o json",
		Args:              cobra.NoArgs,
		ValidArgsFunction: app.CompleteNothing,
		RunE:              a.AsNode(o.pending),
	}
	o.addSent(cmd)
	return cmd
}

func (o *filters) pending(ctx context.Context) error {
	if err := o.resolve(ctx); err != nil {
		return err
	}
	questions, err := agent.Pending(ctx, o.Client, agent.PendingOptions{ToNode: o.ToNode, ThreadID: o.ThreadID})
	slices.Reverse(questions)
	return o.printSent(questions, err)
}

package messages

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

type threadsOptions struct {
	*app.App
	client.ListThreadsOptions
	newest, all bool
}

// NewThreads returns the mesh threads command.
func NewThreads(a *app.App) *cobra.Command {
	o := &threadsOptions{App: a}
	cmd := &cobra.Command{
		Use:               "threads [NAME|ID]",
		Short:             "List threads, or the messages in one",
		Long:              "Threads are listed by last use, newest first, and messages oldest first.",
		Example:           "  mesh threads --peer node-b\n  mesh threads builds --newest --limit 10\n  mesh threads 5c6ff0f4-6b5c-4b8e-9d5e-5f6a0b1c2d3e",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: app.CompleteNothing,
		RunE:              a.Observe(o.run),
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Peer, "peer", "", "only threads with this node")
	flags.StringVar(&o.Topic, "topic", "", "only threads whose topic contains this")
	flags.StringVar(&o.SessionID, "session", "", "only threads in this session")
	flags.BoolVar(&o.all, "all", false, "also list threads that mesh ask opened for one question")
	flags.IntVar(&o.Limit, "limit", 0, "maximum number of threads (default 50) or messages (100)")
	flags.BoolVar(&o.newest, "newest", false, "with NAME or ID: the newest messages, not the oldest")
	app.Complete(cmd, "peer", o.CompleteNode)
	return cmd
}

func (o *threadsOptions) run(ctx context.Context) error {
	if len(o.Args) > 0 {
		return o.printThread(ctx)
	}
	if o.newest {
		return exit.Usagef("--newest needs the name or id of a thread")
	}
	if o.Peer == "" && !o.all {
		o.Peer = mail.NamedThreads
	}
	threads, err := o.Client.ListThreads(ctx, o.ListThreadsOptions)
	if err = o.SkipInvalid(err); err != nil {
		return err
	}
	columns := []table.Column{table.Key("ID"), table.Plain("LAST USED", 1), table.Key("NAME")}
	return o.PrintTable(threads, columns, table.Rows(threads, func(t *client.Thread) []string { return []string{t.ID, output.Time(t.LastUsedAt), t.Name} }))
}

type shownThread struct {
	Thread   *client.Thread       `json:"thread"`
	Messages []client.MeshMessage `json:"messages"`
}

// maxThreadMessages is the gateway's limit, from each end.
const maxThreadMessages = 1000

func (o *threadsOptions) printThread(ctx context.Context) error {
	id, err := o.ThreadNamed(ctx, o.Args[0])
	if err != nil {
		return err
	}
	limit := cmp.Or(o.Limit, 100)
	opts := client.GetThreadOptions{Limit: limit, Newest: o.newest}
	if limit > 0 && limit < maxThreadMessages {
		opts.Limit++ // one extra shows whether there are more
	}
	thread, messages, err := o.Client.GetThread(ctx, id, opts)
	invalid, err := mail.InvalidRows(err)
	if err != nil {
		return mail.ThreadError(id, err)
	}
	o.WarnInvalid(invalid)
	hidden := len(messages)+len(invalid) >= opts.Limit
	messages = cut(messages, limit, o.newest)
	if err := o.Print(shownThread{thread, messages}, func(w io.Writer) error { return threadMessages(w, messages) }); err != nil {
		return err
	}
	if hidden {
		o.Warn(hiddenMessages(o.newest))
	}
	return nil
}

func cut(messages []client.MeshMessage, limit int, newest bool) []client.MeshMessage {
	if newest {
		return messages[max(0, len(messages)-limit):]
	}
	return messages[:min(len(messages), limit)]
}

func hiddenMessages(newest bool) error {
	hidden := "newer messages; --newest lists the newest"
	if newest {
		hidden = "older messages; without --newest the oldest are listed"
	}
	return fmt.Errorf("there may be %s, and --limit up to %d from each end", hidden, maxThreadMessages)
}

// threadMessages also shows recipients.
func threadMessages(w io.Writer, messages []client.MeshMessage) error {
	for _, m := range messages {
		title := fmt.Sprintf("%s %d from %s to %s", mail.ShownKind(m.Kind), m.ID, mail.ShownNode(m.FromNode), mail.ShownNode(m.ToNode))
		if err := mail.Indented(w, title, m); err != nil {
			return err
		}
	}
	return nil
}

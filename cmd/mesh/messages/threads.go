package messages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

// threadsFlags are the flags of mesh threads.
type threadsFlags struct {
	client.ThreadQuery
	newest, all bool
}

// NewThreads returns the command mesh threads.
func NewThreads(a *app.App) *cobra.Command {
	var f threadsFlags
	cmd := &cobra.Command{
		Use:               "threads [NAME|ID]",
		Short:             "List the threads, most recently used first, or the messages of one, oldest first",
		Example:           "  mesh threads --peer node-b\n  mesh threads builds --newest --limit 10\n  mesh threads 5c6ff0f4-6b5c-4b8e-9d5e-5f6a0b1c2d3e",
		Args:              app.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: app.CompleteNothing,
		RunE: a.Observe(func(ctx context.Context, c *client.MeshClient, given []string) error {
			if len(given) == 1 {
				return thread(a, ctx, c, given[0], client.ThreadOptions{Limit: f.Limit, Newest: f.newest})
			}
			if f.newest {
				return exit.Usagef("--newest needs the name or id of a thread")
			}
			if f.Peer == "" && !f.all {
				f.Peer = mail.NamedThreads
			}
			threads, err := c.ListThreads(ctx, f.ThreadQuery)
			if err = a.SkipInvalid(err); err != nil {
				return err
			}
			return a.Print(threads, func(w io.Writer) error { return threadTable(w, threads) })
		}),
	}
	cmd.Flags().StringVar(&f.Peer, "peer", "", "only threads of this node")
	cmd.Flags().StringVar(&f.Topic, "topic", "", "only threads of this topic")
	cmd.Flags().StringVar(&f.SessionID, "session", "", "only threads of this session")
	cmd.Flags().BoolVar(&f.all, "all", false, "also the threads of single questions of mesh ask")
	cmd.Flags().IntVar(&f.Limit, "limit", 0, "maximum number of threads, 1 to 100 (default 50), or of messages, 1 to 1000 (default 100)")
	cmd.Flags().BoolVar(&f.newest, "newest", false, "with NAME or ID: the newest messages, not the oldest")
	app.Complete(cmd, "peer", a.CompleteNode)
	return cmd
}

func threadTable(w io.Writer, threads []client.Thread) error {
	rows := make([][]string, len(threads))
	for i, t := range threads {
		rows[i] = []string{t.ID, output.Time(t.LastUsedAt), t.Name}
	}
	return output.Table(w, []table.Column{table.Key("ID"), table.Plain("LAST USED", 1), table.Key("NAME")}, rows)
}

// conversation is the JSON of one thread.
type conversation struct {
	Thread   *client.Thread       `json:"thread"`
	Messages []client.MeshMessage `json:"messages"`
}

// maxThreadMessages is how many messages of a thread the gateway lists at most, from each end.
const maxThreadMessages = 1000

func thread(a *app.App, ctx context.Context, c *client.MeshClient, name string, opts client.ThreadOptions) error {
	id, err := threadID(a, ctx, c, name)
	if err != nil {
		return err
	}
	limit := cmp.Or(opts.Limit, 100)
	opts.Limit = limit
	if limit > 0 && limit < maxThreadMessages {
		opts.Limit++ // to know whether there are more
	}
	thread, messages, err := c.GetThread(ctx, id, opts)
	invalid, err := mail.InvalidRows(err)
	if err != nil {
		return mail.ThreadError(id, err)
	}
	a.WarnInvalid(invalid)
	hidden := len(messages)+len(invalid) >= opts.Limit
	messages = cut(messages, limit, opts.Newest)
	if err := a.Print(conversation{thread, messages}, func(w io.Writer) error { return threadMessages(w, messages) }); err != nil {
		return err
	}
	if hidden {
		a.Warn(hiddenMessages(limit, opts.Newest))
	}
	return nil
}

// cut returns the oldest or newest messages.
func cut(messages []client.MeshMessage, limit int, newest bool) []client.MeshMessage {
	switch {
	case len(messages) <= limit:
		return messages
	case newest:
		return messages[len(messages)-limit:]
	}
	return messages[:limit]
}

// hiddenMessages returns which messages of a thread are not listed.
func hiddenMessages(limit int, newest bool) error {
	switch {
	case newest && limit == maxThreadMessages:
		return errors.New("there may be older messages; without --newest the oldest 1000 are listed, and the gateway lists none between them and these")
	case newest:
		return errors.New("there are older messages; --limit 1000 lists more, and without --newest the oldest are listed")
	case limit == maxThreadMessages:
		return errors.New("there may be newer messages; --newest lists the newest 1000, and the gateway lists none between these and them")
	}
	return errors.New("there are newer messages; --newest lists the newest, --limit 1000 lists more")
}

// threadMessages prints messages with their recipients.
func threadMessages(w io.Writer, messages []client.MeshMessage) error {
	for _, m := range messages {
		title := fmt.Sprintf("%s %d from %s to %s", mail.ShownKind(m.Kind), m.ID, mail.ShownNode(m.FromNode), mail.ShownNode(m.ToNode))
		if err := mail.Indented(w, title, m); err != nil {
			return err
		}
	}
	return nil
}

// threadID returns the id of a thread that is given by its name or id.
func threadID(a *app.App, ctx context.Context, c *client.MeshClient, thread string) (string, error) {
	scanner, err := a.Scanner(false)
	if err != nil {
		return "", err
	}
	return mail.ThreadID(ctx, c, scanner, thread)
}

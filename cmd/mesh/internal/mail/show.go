package mail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/scan"
)

// InvalidRows extracts invalid rows from a list request's error. It returns any other
// error unchanged.
func InvalidRows(err error) ([]*client.RowError, error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil, err
	}
	var rows []*client.RowError
	for _, part := range joined.Unwrap() {
		var row *client.RowError
		if !errors.As(part, &row) {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Newest returns the newest messages that match opts. It requests fewer if they are too
// large for one response. full means that there may be older ones.
func Newest(ctx context.Context, c *client.MeshClient, opts client.FetchOptions) (messages []client.MeshMessage, invalid []*client.RowError, full bool, err error) {
	return Fitting(opts.Limit, func(limit int) ([]client.MeshMessage, error) {
		opts.Limit = limit
		return c.Fetch(ctx, opts)
	})
}

// Fitting calls request with limit, and with lower limits while a response is too large.
// full means that there may be more rows.
func Fitting[T any](limit int, request func(limit int) ([]T, error)) (rows []T, invalid []*client.RowError, full bool, err error) {
	for ; ; limit = max(1, limit/4) {
		rows, err = request(limit)
		if !errors.Is(err, client.ErrTooLarge) || limit == 1 {
			invalid, err = InvalidRows(err)
			return rows, invalid, err == nil && len(rows)+len(invalid) >= limit, err
		}
	}
}

// Indent precedes each content line.
const Indent = "    "

// Full prints a message. To keep content from passing for another message's header, it
// indents and wraps content, and quotes invalid names and kinds in the header, which is
// bold.
func Full(w io.Writer, m client.MeshMessage) error {
	return Indented(w, fmt.Sprintf("%s %d from %s", ShownKind(m.Kind), m.ID, ShownNode(m.FromNode)), m)
}

// Indented prints a message under a header that starts with title.
func Indented(w io.Writer, title string, m client.MeshMessage) error {
	header := title + ", " + output.Time(m.CreatedAt)
	if m.GetThreadID() != "" {
		header += ", thread " + m.GetThreadID()
	}
	width := output.Width(w)
	_, err := fmt.Fprintf(w, "%s\n\n%s%s\n\n", output.Heading(w, output.Wrap(output.Line(header), Indent, width)), Indent,
		output.Wrap(output.Lines(m.GetContent()), Indent, width))
	return err
}

// ShownKind quotes invalid kinds.
func ShownKind(kind client.Kind) string {
	if kind.Valid() {
		return string(kind)
	}
	return strconv.Quote(string(kind))
}

// ShownNode quotes invalid names.
func ShownNode(name string) string {
	if client.ValidNodeName(name) == nil {
		return name
	}
	return strconv.Quote(name)
}

// ReadState returns "read" or "unread".
func ReadState(m *client.MeshMessage) string {
	if m.ReadAt == nil {
		return "unread"
	}
	return "read"
}

// NamedThreads is a [client.ListThreadsOptions.Peer] that leaves out threads with a
// single question, which would hide the others. They lack peers, and the gateway treats
// _ as a wildcard for peers.
const NamedThreads = "_"

var threadID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// IsThreadID reports whether text is an id, not a name.
func IsThreadID(text string) bool { return threadID.MatchString(text) }

// ThreadID finds a thread's id by name. It returns "" and ids as they are, without
// checking that they exist. If no thread has the name, the error is a [*NoThreadError].
func ThreadID(ctx context.Context, c *client.MeshClient, scanner *scan.Scanner, thread string) (string, error) {
	if thread == "" || IsThreadID(thread) {
		return thread, nil
	}
	if err := CheckName(scanner, "the name of the thread", thread); err != nil {
		return "", err
	}
	found, ok, err := c.FindThread(ctx, thread)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", &NoThreadError{ID: thread}
	}
	return found.ID, nil
}

// threadTo is like [ThreadID], but for sending: it checks that an id exists, and creates
// a thread for a new name.
func threadTo(ctx context.Context, c *client.MeshClient, thread string) (string, error) {
	if thread == "" {
		return "", nil
	}
	if IsThreadID(thread) {
		// sending to an unknown id would fail with 500, as if the message might have
		// arrived
		_, _, err := c.GetThread(ctx, thread, client.GetThreadOptions{Limit: 1})
		var row *client.RowError
		if errors.As(err, &row) {
			err = nil // the thread exists
		}
		return thread, ThreadError(thread, err)
	}
	t, err := c.OpenThread(ctx, thread)
	if err != nil {
		return "", err
	}
	return t.ID, nil
}

// AskThread returns the thread id for a question; thread is an id or a name, as in
// [Send]. If thread is "" and mesh serve runs this program, the question stays in the
// served message's thread. A thread is created only if this node can ask, and at least
// one node can be asked.
func AskThread(ctx context.Context, c *client.MeshClient, scanner *scan.Scanner, nodes []string, text, thread string) (string, error) {
	for _, node := range nodes {
		if err := CheckName(scanner, "the recipient", node); err != nil {
			return "", err
		}
	}
	thread = cmp.Or(thread, os.Getenv("MESH_THREAD"))
	if err := CheckName(scanner, "the name of the thread", thread); err != nil {
		return "", err
	}
	if thread != "" && !IsThreadID(thread) {
		if err := checkQuestion(ctx, c, nodes, text); err != nil {
			return "", err
		}
	}
	return threadTo(ctx, c, thread)
}

func checkQuestion(ctx context.Context, c *client.MeshClient, nodes []string, text string) (err error) {
	var unknown *client.NotInRegistryError
	question := client.SendRequest{To: c.Node(), Kind: client.KindQuestion, Content: text}
	if errors.As(c.CheckSend(ctx, question), &unknown) {
		return &client.NotInRegistryError{Name: unknown.Name, Sender: true}
	}
	for _, question.To = range nodes {
		err = c.CheckSend(ctx, question)
		if !errors.As(err, &unknown) {
			return err
		}
	}
	return err
}

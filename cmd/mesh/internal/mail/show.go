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

// InvalidRows returns the rows of a list that could not be decoded beside others, or err if it is another error.
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

// Newest returns the newest messages that opts selects. While they are too large for one response, it requests fewer. full means that
// there may be older ones.
func Newest(ctx context.Context, c *client.MeshClient, opts client.FetchOptions) (messages []client.MeshMessage, invalid []*client.RowError, full bool, err error) {
	return Fitting(opts.Limit, func(limit int) ([]client.MeshMessage, error) {
		opts.Limit = limit
		return c.Fetch(ctx, opts)
	})
}

// Fitting requests up to limit rows, and fewer while they are too large for one response. full means that there may be more.
func Fitting[T any](limit int, request func(limit int) ([]T, error)) (rows []T, invalid []*client.RowError, full bool, err error) {
	for ; ; limit = max(1, limit/4) {
		rows, err = request(limit)
		if !errors.Is(err, client.ErrTooLarge) || limit == 1 {
			invalid, err = InvalidRows(err)
			return rows, invalid, err == nil && len(rows)+len(invalid) >= limit, err
		}
	}
}

// Indent precedes each line of a content.
const Indent = "    "

// Full prints a message with its content indented, and broken where the terminal would break it: a content must not pass
// for the header of another message, which is bold. In the header a name or kind that is not a valid one is quoted, for the same reason.
func Full(w io.Writer, m client.MeshMessage) error {
	return Indented(w, fmt.Sprintf("%s %d from %s", ShownKind(m.Kind), m.ID, ShownNode(m.FromNode)), m)
}

// Indented prints a message under a header that begins with title.
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

// ShownKind returns a kind for a terminal: quoted, unless it is a valid one.
func ShownKind(kind client.Kind) string {
	if kind.Valid() {
		return string(kind)
	}
	return strconv.Quote(string(kind))
}

// ShownNode returns the name of a node for a terminal: quoted, unless it is a valid one.
func ShownNode(name string) string {
	if client.ValidNodeName(name) == nil {
		return name
	}
	return strconv.Quote(name)
}

// ReadState returns whether a message was read.
func ReadState(m *client.MeshMessage) string {
	if m.ReadAt == nil {
		return "unread"
	}
	return "read"
}

// NamedThreads is the Peer of a [client.ThreadQuery] for the threads that have a pair of peers: the gateway reads _ as any character. The
// threads of single questions have none, and would hide the others.
const NamedThreads = "_"

// threadID is the form of a thread id; any other text is the name of a thread.
var threadID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// IsThreadID reports whether a text is the id of a thread, and not a name.
func IsThreadID(text string) bool { return threadID.MatchString(text) }

// ThreadID returns the id of the thread of that id or name; "" is "". It creates no thread. A name that no thread has is a
// [*NoThreadError]; whether an id exists is not checked.
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

// threadTo returns the id of the thread of that id or name for a message; "" is "". A thread of a new name is created, if check
// returns nil for the message.
func threadTo(ctx context.Context, c *client.MeshClient, thread string, check func() error) (string, error) {
	if thread == "" {
		return "", nil
	}
	if IsThreadID(thread) {
		// A gateway answers an unknown id with 500, as if the message might have arrived.
		_, _, err := c.GetThread(ctx, thread, client.ThreadOptions{Limit: 1})
		var row *client.RowError
		if errors.As(err, &row) {
			err = nil // the thread exists
		}
		return thread, ThreadError(thread, err)
	}
	if err := check(); err != nil {
		return "", err
	}
	t, err := c.OpenThread(ctx, thread)
	if err != nil {
		return "", err
	}
	return t.ID, nil
}

// AskThread returns the id of the thread for a question to nodes, as for [Send]. "" is the conversation of the message for which mesh serve
// runs this program, if there is one. A new thread is created if the question can be sent to one of the nodes.
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
	return threadTo(ctx, c, thread, func() (err error) {
		for _, node := range nodes {
			err = c.CheckSend(ctx, client.SendRequest{To: node, Kind: client.KindQuestion, Content: text})
			var unknown *client.NotInRegistryError
			if !errors.As(err, &unknown) {
				return err
			}
		}
		return err
	})
}

package mail

import (
	"fmt"
	"io"
	"strconv"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

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

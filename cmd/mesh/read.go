package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

func newRead(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "read ID...",
		Short:             "Print messages of this node in full and mark them read",
		Example:           "  mesh read 17 18\n  mesh read 17 -o json",
		Args:              args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.completeMessage,
		RunE: a.asNode(func(ctx context.Context, c *client.MeshClient, given []string) error {
			ids, err := messageIDs(given)
			if err != nil {
				return err
			}
			messages, err := lookup.Messages(ctx, c, ids...)
			if err != nil {
				return err
			}
			for _, m := range messages {
				if err := a.read(ctx, c, m); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

// messageIDs returns each id once.
func messageIDs(texts []string) ([]int64, error) {
	var ids []int64
	for _, text := range texts {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id <= 0 {
			return nil, usagef("message id %q must be a positive number", text)
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// read prints a message before it is marked, so that an output that fails leaves it unread.
func (a *app) read(ctx context.Context, c *client.MeshClient, m client.MeshMessage) error {
	if err := a.printLine(m, func(w io.Writer) error { return fullMessage(w, m) }); err != nil || m.ReadAt != nil {
		return err
	}
	return c.MarkRead(ctx, m.ID)
}

// indent precedes each line of a content.
const indent = "    "

// fullMessage prints a message with its content indented, and broken where the terminal would break it: a content must not pass
// for the header of another message, which is bold. In the header a name or kind that is not a valid one is quoted, for the same reason.
func fullMessage(w io.Writer, m client.MeshMessage) error {
	return indentedMessage(w, fmt.Sprintf("%s %d from %s", shownKind(m.Kind), m.ID, shownNode(m.FromNode)), m)
}

// indentedMessage prints a message under a header that begins with title.
func indentedMessage(w io.Writer, title string, m client.MeshMessage) error {
	header := title + ", " + output.Time(m.CreatedAt)
	if m.GetThreadID() != "" {
		header += ", thread " + m.GetThreadID()
	}
	width := output.Width(w)
	_, err := fmt.Fprintf(w, "%s\n\n%s%s\n\n", output.Heading(w, output.Wrap(output.Line(header), indent, width)), indent,
		output.Wrap(output.Lines(m.GetContent()), indent, width))
	return err
}

func shownKind(kind client.Kind) string {
	if kind.Valid() {
		return string(kind)
	}
	return strconv.Quote(string(kind))
}

func shownNode(name string) string {
	if client.ValidNodeName(name) == nil {
		return name
	}
	return strconv.Quote(name)
}

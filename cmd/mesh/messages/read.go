package messages

import (
	"context"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
)

// readOptions are the arguments of mesh read.
type readOptions struct {
	*app.App
	client *client.MeshClient
	ids    []string
}

// NewRead returns the command mesh read.
func NewRead(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:               "read ID...",
		Short:             "Print messages of this node in full and mark them read",
		Example:           "  mesh read 17 18\n  mesh read 17 -o json",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.CompleteMessage,
		RunE: a.AsNode(func(ctx context.Context, c *client.MeshClient, given []string) error {
			return runRead(ctx, &readOptions{a, c, given})
		}),
	}
}

// runRead prints messages and marks them read.
func runRead(ctx context.Context, o *readOptions) error {
	ids, err := messageIDs(o.ids)
	if err != nil {
		return err
	}
	messages, err := mail.Messages(ctx, o.client, ids...)
	if err != nil {
		return err
	}
	for _, m := range messages {
		if err := read(ctx, o, m); err != nil {
			return err
		}
	}
	return nil
}

// messageIDs returns each id once.
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

// read prints a message before it is marked, so that an output that fails leaves it unread.
func read(ctx context.Context, o *readOptions, m client.MeshMessage) error {
	if err := o.PrintLine(m, func(w io.Writer) error { return mail.Full(w, m) }); err != nil || m.ReadAt != nil {
		return err
	}
	return o.client.MarkRead(ctx, m.ID)
}

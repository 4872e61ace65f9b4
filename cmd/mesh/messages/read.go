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

// NewRead returns the command mesh read.
func NewRead(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:               "read ID...",
		Short:             "Print messages of this node in full and mark them read",
		Example:           "  mesh read 17 18\n  mesh read 17 -o json",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.CompleteMessage,
		RunE:              a.AsNode(func(ctx context.Context) error { return runRead(ctx, a) }),
	}
}

// runRead prints messages and marks them read. It looks all of them up before it prints one, and prints each one before it is marked, so
// that an output that fails leaves it unread.
func runRead(ctx context.Context, a *app.App) error {
	ids, err := messageIDs(a.Args)
	if err != nil {
		return err
	}
	found := make([]*client.MeshMessage, len(ids))
	for i, id := range ids {
		if found[i], err = a.Client.GetMessage(ctx, id); err != nil {
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

package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
)

// inboxWindow is how many messages of the inbox the gateway returns at most.
const inboxWindow = 1000

// find returns the messages of the own inbox with these ids, in their order.
func find(ctx context.Context, c *client.MeshClient, ids ...int64) ([]client.MeshMessage, error) {
	inbox, err := c.Fetch(ctx, client.FetchOptions{Limit: inboxWindow})
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]client.MeshMessage, len(inbox))
	for _, m := range inbox {
		byID[m.ID] = m
	}
	found := make([]client.MeshMessage, len(ids))
	for i, id := range ids {
		m, ok := byID[id]
		if !ok {
			return nil, usagef("message %d is not among the newest %d of the own inbox; mesh send --thread reaches its thread without it", id, inboxWindow)
		}
		found[i] = m
	}
	return found, nil
}

func messageIDs(texts []string) ([]int64, error) {
	ids := make([]int64, len(texts))
	for i, text := range texts {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, usagef("message id %q must be a number", text)
		}
		ids[i] = id
	}
	return ids, nil
}

func newRead(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "read ID...",
		Short: "Print messages of the own inbox in full and mark them read",
		Args:  args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			ids, err := messageIDs(given)
			if err != nil {
				return err
			}
			return a.read(cmd.Context(), ids)
		},
	}
}

// read prints each message before it is marked, so that an output that fails leaves it unread.
func (a *app) read(ctx context.Context, ids []int64) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	messages, err := find(ctx, c, ids...)
	if err != nil {
		return err
	}
	for _, m := range messages {
		if err := a.printLine(m, func(w io.Writer) error { return fullMessage(w, m) }); err != nil {
			return err
		}
		if m.ReadAt != nil {
			continue
		}
		if err := c.MarkRead(ctx, m.ID); err != nil {
			return err
		}
	}
	return nil
}

func fullMessage(w io.Writer, m client.MeshMessage) error {
	header := fmt.Sprintf("%s %d from %s, %s", m.Kind, m.ID, m.FromNode, when(m.CreatedAt))
	if m.GetThreadID() != "" {
		header += ", thread " + m.GetThreadID()
	}
	_, err := fmt.Fprintf(w, "%s\n\n%s\n\n", oneLine(header), printable(m.GetContent()))
	return err
}

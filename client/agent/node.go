package agent

import (
	"context"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/internal/seam"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// node adds the client's unexported methods.
type node struct {
	*client.MeshClient
	unexported
}

type (
	message = client.MeshMessage
	query   = client.ListMessagesOptions
	request = client.SendRequest

	unexported = seam.Client[request, query, client.RegisterRequest]
	handler    = func(context.Context, message) (string, error) // returns the answer
)

func rowErrors(err error) []*client.RowError { return seam.Parts[*client.RowError](err) }

// withoutRows returns nil if err reports invalid rows, otherwise err.
func withoutRows(err error) error { return seam.Without[*client.RowError](err) }

// newNode rejects a nil context, and a client not made by [client.New].
func newNode(ctx context.Context, c *client.MeshClient) (*node, error) {
	n := &node{c, seam.Of(c).(unexported)} //nolint:forcetypeassert // Of returns no other type
	if err := n.Ready(ctx); err != nil {
		return nil, err
	}
	n.Log = n.Log.With("node", n.Shown)
	return n, nil
}

func (c *node) isOwn(m message) bool { return m.FromNode == c.Name }

var invalid, invalidValue = argument.Hidden, argument.Plain

const maxLimit = seam.MaxLimit

// optional returns nil for "".
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func checkMessageID(id int64) error {
	if id < 1 {
		return invalidValue("id", id, "must be positive")
	}
	return nil
}

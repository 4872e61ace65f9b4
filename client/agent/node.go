package agent

import (
	"context"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/internal/seam"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// node is a client with the parts that only this package uses.
type node struct {
	*client.MeshClient
	seam.Client[request, query]
}

type (
	message = client.MeshMessage
	query   = client.ListMessagesOptions
	request = client.SendRequest
	handler = func(context.Context, message) (string, error) // returns the answer
)

func rowErrors(err error) []*client.RowError { return seam.Parts[*client.RowError](err) }

// withoutRows returns nil if err is about invalid rows.
func withoutRows(err error) error { return seam.Without[*client.RowError](err) }

// of rejects nil contexts and clients that [client.New] has not made.
func of(ctx context.Context, c *client.MeshClient) (*node, error) {
	n := &node{c, seam.Of(c).(seam.Client[request, query])} //nolint:forcetypeassert // Of returns no other type
	if err := n.Ready(ctx); err != nil {
		return nil, err
	}
	n.Log = n.Log.With("node", n.Shown)
	return n, nil
}

// whileOpen returns a context that ends with ctx or when the client is closed.
func (c *node) whileOpen(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.Lifetime, cancel)
	return ctx, func() { stop(); cancel() }
}

// isOwn reports whether this node sent the message.
func (c *node) isOwn(m message) bool { return m.FromNode == c.Name }

var invalid, invalidValue = argument.Hidden, argument.Plain

const maxLimit = seam.MaxLimit

// optional returns a pointer to value, or nil for the zero value.
func optional[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}

func checkMessageID(id int64) error {
	if id < 1 {
		return invalidValue("id", id, "must be positive")
	}
	return nil
}

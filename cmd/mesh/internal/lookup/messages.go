package lookup

import (
	"context"

	"github.com/mesh-gateway/mesh-go/client"
)

// Messages returns the messages to this node with these ids, in their order.
func Messages(ctx context.Context, c *client.MeshClient, ids ...int64) ([]client.MeshMessage, error) {
	found := make([]client.MeshMessage, len(ids))
	for i, id := range ids {
		m, err := c.GetMessage(ctx, id)
		if err != nil {
			return nil, err
		}
		found[i] = *m
	}
	return found, nil
}

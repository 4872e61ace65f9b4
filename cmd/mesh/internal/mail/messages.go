// Package mail finds, sends and prints messages, for the commands and for the tools of an agent. An error of this package that has no type of
// package client is a name that is wrong or cannot be found.
package mail

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

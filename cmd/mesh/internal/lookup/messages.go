package lookup

import (
	"context"
	"regexp"

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

// threadID is the form of a thread id; any other text is the name of a thread.
var threadID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// IsThreadID reports whether a text is the id of a thread, and not a name.
func IsThreadID(text string) bool { return threadID.MatchString(text) }

package lookup

import (
	"context"
	"fmt"
	"regexp"

	"github.com/mesh-gateway/mesh-go/client"
)

// window is how many messages of the inbox the gateway returns at most.
const window = 1000

// NotInInboxError is the error of a message id that the newest 1,000 messages of the inbox of this node do not have.
type NotInInboxError struct{ ID int64 }

func (e *NotInInboxError) Error() string {
	return fmt.Sprintf("message %d is not among the newest %d messages of this node", e.ID, window)
}

// Messages returns the messages of the inbox of this node with these ids, in their order.
func Messages(ctx context.Context, c *client.MeshClient, ids ...int64) ([]client.MeshMessage, error) {
	inbox, err := c.Fetch(ctx, client.FetchOptions{Limit: window})
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
			return nil, &NotInInboxError{id}
		}
		found[i] = m
	}
	return found, nil
}

// threadID is the form of a thread id; any other text is the name of a thread.
var threadID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// IsThreadID reports whether a text is the id of a thread, and not a name.
func IsThreadID(text string) bool { return threadID.MatchString(text) }

package mail

import (
	"cmp"
	"context"
	"errors"
	"os"
	"regexp"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/scan"
)

// NamedThreads is the Peer of a [client.ThreadQuery] for the threads that have a pair of peers: the gateway reads _ as any character. The
// threads of single questions have none, and would hide the others.
const NamedThreads = "_"

// threadID is the form of a thread id; any other text is the name of a thread.
var threadID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// IsThreadID reports whether a text is the id of a thread, and not a name.
func IsThreadID(text string) bool { return threadID.MatchString(text) }

// ThreadID returns the id of the thread of that id or name; "" is "". It creates no thread. A name that no thread has is a
// [*NoThreadError]; whether an id exists is not checked.
func ThreadID(ctx context.Context, c *client.MeshClient, scanner *scan.Scanner, thread string) (string, error) {
	if thread == "" || IsThreadID(thread) {
		return thread, nil
	}
	if err := CheckName(scanner, "the name of the thread", thread); err != nil {
		return "", err
	}
	found, ok, err := c.FindThread(ctx, thread)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", &NoThreadError{ID: thread}
	}
	return found.ID, nil
}

// threadTo returns the id of the thread of that id or name for a message; "" is "". A thread of a new name is created, if check
// returns nil for the message.
func threadTo(ctx context.Context, c *client.MeshClient, thread string, check func() error) (string, error) {
	if thread == "" {
		return "", nil
	}
	if IsThreadID(thread) {
		// A gateway answers an unknown id with 500, as if the message might have arrived.
		_, _, err := c.GetThread(ctx, thread, client.ThreadOptions{Limit: 1})
		var row *client.RowError
		if errors.As(err, &row) {
			err = nil // the thread exists
		}
		return thread, ThreadError(thread, err)
	}
	if err := check(); err != nil {
		return "", err
	}
	t, err := c.OpenThread(ctx, thread)
	if err != nil {
		return "", err
	}
	return t.ID, nil
}

// AskThread returns the id of the thread for a question to nodes, as for [Send]. "" is the conversation of the message for which mesh serve
// runs this program, if there is one. A new thread is created if the question can be sent to one of the nodes.
func AskThread(ctx context.Context, c *client.MeshClient, scanner *scan.Scanner, nodes []string, text, thread string) (string, error) {
	for _, node := range nodes {
		if err := CheckName(scanner, "the recipient", node); err != nil {
			return "", err
		}
	}
	thread = cmp.Or(thread, os.Getenv("MESH_THREAD"))
	if err := CheckName(scanner, "the name of the thread", thread); err != nil {
		return "", err
	}
	return threadTo(ctx, c, thread, func() (err error) {
		for _, node := range nodes {
			err = c.CheckSend(ctx, client.SendRequest{To: node, Kind: client.KindQuestion, Content: text})
			var unknown *client.NotInRegistryError
			if !errors.As(err, &unknown) {
				return err
			}
		}
		return err
	})
}

package worker

import (
	"context"
	"strings"
	"sync"
	"unicode"

	"github.com/mesh-gateway/mesh-go/client"
)

// maxThreadNames bounds the names that are kept.
const maxThreadNames = 10_000

// threadNames has the names of threads by their ids. It looks each one up once.
type threadNames struct {
	mu    sync.Mutex
	names map[string]string
}

// of returns the name of the thread of a message, or "" if the message has none, the look-up fails, or the name cannot be in the
// environment of a process.
func (t *threadNames) of(ctx context.Context, c *client.MeshClient, m client.MeshMessage) string {
	id := m.GetThreadID()
	if id == "" {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if name, ok := t.names[id]; ok {
		return name
	}
	thread, _, _ := c.GetThread(ctx, id, client.ThreadOptions{Limit: 1})
	if thread == nil {
		return "" // err; a message that cannot be decoded does not matter
	}
	name := thread.Name
	if strings.ContainsFunc(name, unicode.IsControl) {
		name = ""
	}
	if t.names == nil || len(t.names) >= maxThreadNames {
		t.names = make(map[string]string)
	}
	t.names[id] = name
	return name
}

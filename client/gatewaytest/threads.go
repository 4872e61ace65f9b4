package gatewaytest

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Thread operations.
const (
	ListThreads Operation = "listThreads"
	OpenThread  Operation = "openThread"
	GetThread   Operation = "getThread"
)

type thread struct {
	UUID       string  `json:"thread_uuid"`
	Name       string  `json:"thread_name"`
	Pair       string  `json:"peer_pair"`
	Topic      string  `json:"topic"`
	SessionID  *string `json:"session_id"`
	CreatedAt  string  `json:"created_at"`
	LastUsedAt string  `json:"last_used_at"`
}

// openedThread is a thread in POST /threads.
type openedThread struct {
	thread

	Created bool `json:"created"`
}

// openThread returns the named thread, and makes it if it is new. A session replaces an
// existing thread's session. Only this moves last_used_at; a message does not.
func (g *Gateway) openThread(r *http.Request) (action, []issue) {
	f := readBody(r)
	name, session := f.required("thread_name", maxThreadName), f.optional("session_id", 0)
	return func(*peer) response {
		t, created := g.threadNamed(name), false
		if t == nil {
			t, created = g.addThread(newUUID(), name, session), true
		} else {
			t.LastUsedAt = timestamp()
			if session != nil && *session != "" {
				t.SessionID = session
			}
		}
		return ok(openedThread{*t, created})
	}, f.issues
}

func (g *Gateway) listThreads(r *http.Request) (action, []issue) {
	query := r.URL.Query()
	f := queryFields(query)
	limit := f.limit(50, 100)
	return func(*peer) response {
		threads := slices.SortedFunc(maps.Values(g.threads), func(a, b *thread) int {
			return cmp.Or(cmp.Compare(b.LastUsedAt, a.LastUsedAt), cmp.Compare(a.Name, b.Name))
		})
		rows := []thread{}
		for _, t := range threads {
			if t.matches(query) && int64(len(rows)) < limit {
				rows = append(rows, *t)
			}
		}
		return ok(object{"threads": rows})
	}, f.issues
}

func (t *thread) matches(query url.Values) bool {
	return contains(query, "peer", t.Pair) && contains(query, "topic", t.Topic) && equal(query, "session_id", t.SessionID)
}

func (g *Gateway) getThread(r *http.Request) (action, []issue) {
	f := queryFields(r.URL.Query())
	limit := f.limit(100, 1000)
	id := r.PathValue("uuid")
	return func(*peer) response {
		t := g.threads[id]
		if t == nil {
			return refuse(http.StatusNotFound, "thread not found")
		}
		rows := []threadMessage{}
		for _, m := range g.messages {
			if m.ThreadID != nil && *m.ThreadID == id && int64(len(rows)) < limit {
				rows = append(rows, m.threadMessage)
			}
		}
		return ok(object{"thread": *t, "messages": rows})
	}, f.issues
}

func (g *Gateway) threadNamed(name string) *thread {
	for _, t := range g.threads {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// addThread splits the name, which is "node-a↔node-b:topic" by convention.
func (g *Gateway) addThread(id, name string, session *string) *thread {
	now := timestamp()
	t := &thread{UUID: id, Name: name, Pair: name, SessionID: session, CreatedAt: now, LastUsedAt: now}
	if pair, topic, found := strings.Cut(name, ":"); found {
		t.Pair, t.Topic = strings.TrimSpace(pair), strings.TrimSpace(topic)
	}
	g.threads[id] = t
	return t
}

// newUUID returns a random UUID (version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

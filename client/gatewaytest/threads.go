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

// Operations of threads.
const (
	ListThreads Operation = "listThreads"
	OpenThread  Operation = "openThread"
	GetThread   Operation = "getThread"
)

type thread struct {
	id, name   string
	sessionID  *string
	createdAt  string
	lastUsedAt string
}

// pairAndTopic splits a name, which has the form "node-a↔node-b:topic" by convention, and trims both parts.
func (t *thread) pairAndTopic() (pair, topic string) {
	pair, topic, found := strings.Cut(t.name, ":")
	if !found {
		return t.name, ""
	}
	return strings.TrimSpace(pair), strings.TrimSpace(topic)
}

// row is a thread as the gateway shows it.
func (t *thread) row() object {
	pair, topic := t.pairAndTopic()
	return object{
		"thread_uuid": t.id, "thread_name": t.name, "peer_pair": pair, "topic": topic,
		"session_id": t.sessionID, "created_at": t.createdAt, "last_used_at": t.lastUsedAt,
	}
}

// openThread returns the thread of a name and makes it if there is none. A session replaces the one of an existing thread. Only
// this moves last_used_at; a message does not.
func (g *Gateway) openThread(r *http.Request) (action, []issue) {
	f := readBody(r)
	name, session := f.required("thread_name", maxThreadName), f.optional("session_id", 0)
	return func(*peer) answer {
		t, created := g.threadNamed(name), false
		if t == nil {
			t, created = g.addThread(newUUID(), name, session), true
		} else {
			t.lastUsedAt = timestamp()
			if session != nil && *session != "" {
				t.sessionID = session
			}
		}
		row := t.row()
		row["created"] = created
		return ok(row)
	}, f.issues
}

func (g *Gateway) listThreads(r *http.Request) (action, []issue) {
	query := r.URL.Query()
	f := queryFields(query)
	limit := f.limit(50, 100)
	return func(*peer) answer {
		threads := slices.SortedFunc(maps.Values(g.threads), func(a, b *thread) int {
			return cmp.Or(cmp.Compare(b.lastUsedAt, a.lastUsedAt), cmp.Compare(a.name, b.name))
		})
		rows := []object{}
		for _, t := range threads {
			if t.matches(query) && int64(len(rows)) < limit {
				rows = append(rows, t.row())
			}
		}
		return ok(object{"threads": rows})
	}, f.issues
}

// matches reports whether the filters let a thread pass.
func (t *thread) matches(query url.Values) bool {
	pair, topic := t.pairAndTopic()
	return contains(query, "peer", pair) && contains(query, "topic", topic) && equal(query, "session_id", t.sessionID)
}

func (g *Gateway) getThread(r *http.Request) (action, []issue) {
	f := queryFields(r.URL.Query())
	limit := f.limit(100, 1000)
	id := r.PathValue("uuid")
	return func(*peer) answer {
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
		return ok(object{"thread": t.row(), "messages": rows})
	}, f.issues
}

func (g *Gateway) threadNamed(name string) *thread {
	for _, t := range g.threads {
		if t.name == name {
			return t
		}
	}
	return nil
}

func (g *Gateway) addThread(id, name string, session *string) *thread {
	now := timestamp()
	g.threads[id] = &thread{id: id, name: name, sessionID: session, createdAt: now, lastUsedAt: now}
	return g.threads[id]
}

// newUUID returns a random UUID (version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

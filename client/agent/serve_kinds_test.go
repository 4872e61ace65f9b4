package agent_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
)

func TestServeHandlesTheSelectedKinds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kinds []client.Kind
		want  []int64
	}{
		"all":             {nil, []int64{1, 2, 3, 4, 5, 6}},
		"all, not nil":    {[]client.Kind{}, []int64{1, 2, 3, 4, 5, 6}},
		"questions":       {[]client.Kind{client.KindQuestion}, []int64{2}},
		"two, one twice":  {[]client.Kind{client.KindFYI, client.KindStatus, client.KindFYI}, []int64{1, 4}},
		"all known kinds": {[]client.Kind{"fyi", "question", "answer", "status", "unblock"}, []int64{1, 2, 3, 4, 5}},
	} {
		for _, ignores := range [][]string{nil, {"kind"}, {"kind", "limit", "since", "from"}} {
			synctest.Test(t, func(t *testing.T) {
				b := &mailbox{ignores: ignores}
				for i, kind := range []string{"fyi", "question", "answer", "status", "unblock", "other"} {
					b.add("node-b", kind, fmt.Sprintf("2026-11-21T12:00:0%d+00:00", i))
				}
				var j journal
				serveFor(t, b, time.Minute, j.handle, agent.ServeOptions{Kinds: c.kinds, OnError: j.onError})
				assert.ElementsMatch(t, c.want, j.handled, "%s, without %v", name, ignores)
				assert.Equal(t, c.want, b.marks(), "%s, without %v", name, ignores)
				assert.Empty(t, j.errors, "%s, without %v", name, ignores)
			})
		}
	}
}

// Other kinds cannot fill the polls.
func TestServeReachesAQuestionBehindManyAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := new(mailbox)
		b.add("node-b", "question", "2026-11-21T12:00:00+00:00")
		for range 2000 {
			b.add("node-b", "answer", "2026-11-21T12:00:01+00:00")
		}
		var j journal
		serveFor(t, b, time.Minute, j.handle, agent.ServeOptions{Kinds: []client.Kind{client.KindQuestion}, OnError: j.onError})
		assert.Equal(t, []int64{1}, b.marks())
		assert.Empty(t, j.errors)
	})
}

func TestServePollsAKindOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := new(mailbox)
		serveFor(t, b, time.Minute, new(journal).handle, agent.ServeOptions{
			Kinds: []client.Kind{client.KindFYI, client.KindStatus, client.KindFYI}, Interval: time.Hour,
		})
		assert.Equal(t, 2, b.polls)
	})
}

func TestServePollsEveryKindThoughOnePollFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &mailbox{broken: "fyi"}
		b.add("node-b", "status", "2026-11-21T12:00:00+00:00")
		var j journal
		serveFor(t, b, time.Minute, j.handle, agent.ServeOptions{Kinds: []client.Kind{client.KindFYI, client.KindStatus}, OnError: j.onError})
		assert.Equal(t, []int64{1}, b.marks())
		assert.NotEmpty(t, j.errors)
	})
}

func TestServeRejectsAKindThatCannotBeSent(t *testing.T) {
	t.Parallel()
	for _, kind := range []client.Kind{"", "questions", "Question", "all"} {
		b := new(mailbox)
		err := agent.Serve(t.Context(), inProcess(t, b.handle), new(journal).handle, agent.ServeOptions{Kinds: []client.Kind{client.KindFYI, kind}})
		assert.Equal(t, "Kinds", valueError(t, err).Field, "%q", kind)
		assert.Zero(t, b.polls)
	}
}

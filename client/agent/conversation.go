package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/mesh-gateway/mesh-go/internal/label"

	"github.com/mesh-gateway/mesh-go/client"
)

// conversation has the node, the thread and the question number shared by an answer and
// its question. The thread is "" outside threads.
type conversation struct{ node, thread, number string }

func conversationWith(node string, m message) conversation {
	return conversation{node, m.GetThreadID(), questionNumber(m.GetRelatedTaskID())}
}

// Questions have 53-bit numbers, which JavaScript reads exactly. Task numbers are
// smaller.
const (
	lowestNumber = 1 << 52
	numberDigits = 52 / 4 // hexadecimal
)

// questionNumber returns task if a question has it as its number, and "" for other tasks.
func questionNumber(task string) string {
	if n, err := strconv.ParseUint(task, 10, 64); err != nil || n < lowestNumber || n >= 2*lowestNumber {
		return ""
	}
	return task
}

// newNumber returns a random number, or always the same one for an idempotency key.
func newNumber(key, node string) string {
	n, _ := strconv.ParseUint(digest(cmp.Or(key, rand.Text()), node)[:numberDigits], 16, 64) // digits only
	return strconv.FormatUint(lowestNumber+n, 10)
}

func digest(texts ...string) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q", texts)))
}

// askPrefix starts the thread name for a single question. The gateway splits a name at
// the first colon, so the pair is empty: listing threads by peer does not find them.
const askPrefix = ":ask-"

type conversationKey struct{}

// Conversation returns the thread name of the message that a handler handles. ctx is the
// handler's context in [Serve] or [Answer], or derived from it. The name is "" if the
// message has no thread or one for a single question, if the gateway did not return the
// thread, or if the name has control characters.
//
// [Ask] asks in this thread unless SendRequest.ThreadID is set. The meter in package
// discovery/meter records the name as the label "thread".
func Conversation(ctx context.Context) string {
	name, _ := ctx.Value(conversationKey{}).(string)
	return name
}

// inConversation adds the conversation to ctx if the thread has a name for it, which is
// looked up once.
func (s *server) inConversation(ctx context.Context, m message) context.Context {
	id := m.GetThreadID()
	if id == "" {
		return ctx
	}
	name, known := s.threads.Load(id)
	if !known {
		thread, _, _ := s.client.GetThread(ctx, id, client.GetThreadOptions{Limit: 1}) // an invalid message does not matter
		if thread == nil || strings.HasPrefix(thread.Name, askPrefix) || strings.ContainsFunc(thread.Name, unicode.IsControl) {
			return ctx
		}
		name = thread.Name
		s.threads.Store(id, name)
	}
	return context.WithValue(label.With(ctx, "thread", name.(string)), conversationKey{}, name)
}

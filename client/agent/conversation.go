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

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/internal/label"
)

// correlation matches an answer with its question: both have the same peer, thread (""
// outside threads) and question number.
type correlation struct{ node, thread, number string }

func correlationWith(node string, m message) correlation {
	return correlation{node, m.GetThreadID(), questionNumber(m.GetRelatedTaskID())}
}

// Questions have 53-bit numbers, which JavaScript reads exactly. Task numbers are
// smaller.
const (
	lowestNumber = 1 << 52
	numberDigits = 52 / 4 // hexadecimal
)

// questionNumber returns task if it is in the range of question numbers, otherwise "".
func questionNumber(task string) string {
	if n, err := strconv.ParseUint(task, 10, 64); err != nil || n < lowestNumber || n >= 2*lowestNumber {
		return ""
	}
	return task
}

// newNumber derives a number from key, or returns a random one if key is "".
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

// Conversation returns the name of the thread that the current message belongs to. Call
// it in a [Serve] or [Answer] handler with the handler's context.
//
// It returns "" if the message has no thread, if [Ask] opened the thread for one
// question, if the gateway did not return the thread, or if the name has control
// characters.
//
// With this context, [Ask] asks in the same thread unless SendRequest.ThreadID is set,
// and package discovery/meter records the name as the label "thread".
func Conversation(ctx context.Context) string {
	name, _ := ctx.Value(conversationKey{}).(string)
	return name
}

// inConversation adds the thread name to ctx. It looks each thread up once.
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

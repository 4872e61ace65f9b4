package gatewaytest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

func keyed(content, key string) string { return message(content, `,"idempotency_key":"`+key+`"`) }

func TestRepeatedKeyReturnsTheFirstReceipt(t *testing.T) {
	t.Parallel()
	s := start(t)
	first := s.call("POST", "/messages", keyed("once", "k-1"))
	again := s.call("POST", "/messages", keyed("once", "k-1"))
	assert.Equal(t, 200, again.Status)
	assert.Equal(t, first.Body, again.Body, "the same receipt, to the byte")
	reordered := s.call("POST", "/messages", `{"idempotency_key":"k-1",`+strings.TrimPrefix(message("once"), "{"))
	assert.Equal(t, first.Body, reordered.Body, "the order of the fields makes no difference")

	other := s.call("POST", "/messages", keyed("twice", "k-1"))
	assert.Equal(t, 409, other.Status)
	assert.JSONEq(t, `{"detail":"idempotency_key conflicts with an existing message"}`, other.Body)

	s.call("POST", "/messages", keyed("once", "k-2"))
	s.call("POST", "/messages", message("once"))
	s.call("POST", "/messages", message("once"))
	assert.Len(t, s.inbox("node-b"), 4, "another key, or no key, is another message")
}

func TestKeysBelongToTheirSender(t *testing.T) {
	t.Parallel()
	s := start(t)
	fromB := strings.Replace(keyed("from b", "k-1"), "node-a", "node-b", 1)
	a := s.call("POST", "/messages", keyed("from a", "k-1")).Object(t)
	b := s.call("POST", "/messages", fromB).Object(t)
	assert.NotEqual(t, a["id"], b["id"])

	// With a peer's token the sender is that peer, even if from_node is another node.
	asPeer := []string{"Authorization", "Bearer " + register(s, "node-c", `"http://c"`)}
	c := s.call("POST", "/messages", keyed("from a", "k-1"), asPeer...).Object(t)
	assert.NotEqual(t, a["id"], c["id"])
	assert.Equal(t, 409, s.call("POST", "/messages", fromB, asPeer...).Status)
}

func TestMessagesAreComparedByTheirMeaning(t *testing.T) {
	t.Parallel()
	s := start(t, gatewaytest.WithThreads("t-1"))
	send := func(more string) nettest.Reply {
		r, _ := s.exchange("POST", "/messages", message("x", `,"idempotency_key":"k-1"`, more))
		return r
	}
	first := send(`,"related_task_id":42`)
	for _, same := range []string{`"42"`, `" 42 "`, `42.0`, `"042"`} {
		assert.Equal(t, first.Body, send(`,"related_task_id":`+same+`,"thread_id":null,"colour":"red"`).Body, same)
	}
	for _, other := range []string{``, `,"related_task_id":43`, `,"related_task_id":42,"thread_id":"t-1"`} {
		assert.Equal(t, 409, send(other).Status, other)
	}
	assert.Len(t, s.inbox("node-b"), 1)
}

func TestRejectedMessageDoesNotUseTheKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.refused("POST", "/messages", keyed("", "k-1"))
	assert.Equal(t, 200, s.call("POST", "/messages", keyed("hello", "k-1")).Status)
}

func TestKeyHas1To128Characters(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.Equal(t, 200, s.call("POST", "/messages", keyed("x", strings.Repeat("é", 128))).Status)
	for key, want := range map[string]string{"": `"type":"string_too_short"`, strings.Repeat("k", 129): `"ctx":{"max_length":128}`} {
		r := s.refused("POST", "/messages", keyed("x", key))
		assert.Equal(t, 422, r.Status)
		assert.Contains(t, r.Body, `"loc":["body","idempotency_key"]`)
		assert.Contains(t, r.Body, want)
	}
	assert.Len(t, s.inbox("node-b"), 1)
}

func TestWithoutIdempotencyIgnoresKeys(t *testing.T) {
	t.Parallel()
	s := start(t, gatewaytest.WithoutIdempotency())
	for _, content := range []string{"once", "once", "twice"} {
		assert.Equal(t, 200, s.call("POST", "/messages", keyed(content, "k-1")).Status)
	}
	assert.Equal(t, 200, s.refused("POST", "/messages", keyed("x", strings.Repeat("k", 129))).Status)
	assert.Equal(t, []any{"x", "twice", "once", "once"}, nettest.Column(s.inbox("node-b"), "content"))
}

package gatewaytest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func keyed(content, key string) string { return message(content, `,"idempotency_key":"`+key+`"`) }

func TestAKeyIsHonoured(t *testing.T) {
	t.Parallel()
	s := start(t)
	first := s.call("POST", "/messages", keyed("once", "k-1"))
	again := s.call("POST", "/messages", keyed("once", "k-1"))
	assert.Equal(t, 200, again.status)
	assert.Equal(t, first.body, again.body, "the same receipt, to the byte")
	reordered := s.call("POST", "/messages", `{"idempotency_key":"k-1",`+strings.TrimPrefix(message("once"), "{"))
	assert.Equal(t, first.body, reordered.body, "the order of the fields says nothing")

	other := s.call("POST", "/messages", keyed("twice", "k-1"))
	assert.Equal(t, 409, other.status)
	assert.JSONEq(t, `{"detail":"idempotency_key conflicts with an existing message"}`, other.body)

	s.call("POST", "/messages", keyed("once", "k-2"))
	s.call("POST", "/messages", message("once"))
	s.call("POST", "/messages", message("once"))
	assert.Len(t, s.inbox("node-b"), 4, "another key, or none, is another message")
}

// A request that was refused leaves its key free.
func TestARefusedMessageDoesNotTakeTheKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.badly("POST", "/messages", keyed("", "k-1"))
	assert.Equal(t, 200, s.call("POST", "/messages", keyed("hello", "k-1")).status)
}

func TestAKeyHasOneTo128Characters(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.Equal(t, 200, s.call("POST", "/messages", keyed("x", strings.Repeat("é", 128))).status)
	for key, want := range map[string]string{"": `"type":"string_too_short"`, strings.Repeat("k", 129): `"ctx":{"max_length":128}`} {
		r := s.badly("POST", "/messages", keyed("x", key))
		assert.Equal(t, 422, r.status)
		assert.Contains(t, r.body, `"loc":["body","idempotency_key"]`)
		assert.Contains(t, r.body, want)
	}
	assert.Len(t, s.inbox("node-b"), 1)
}

func TestAnOlderGatewayIgnoresKeys(t *testing.T) {
	t.Parallel()
	s := start(t, gatewaytest.WithoutIdempotency())
	for _, content := range []string{"once", "once", "twice"} {
		assert.Equal(t, 200, s.call("POST", "/messages", keyed(content, "k-1")).status)
	}
	assert.Equal(t, 200, s.badly("POST", "/messages", keyed("x", strings.Repeat("k", 129))).status)
	assert.Equal(t, []any{"x", "twice", "once", "once"}, column(s.inbox("node-b"), "content"))
}

package gatewaytest_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func (s *testGateway) openThread(body string) map[string]any {
	s.t.Helper()
	return s.call("POST", "/threads", body).object(s.t)
}

func TestThreadOfANameIsCreatedOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	first := s.openThread(`{"thread_name":"node-a↔node-b:builds","session_id":"s-1"}`)
	again := s.openThread(`{"thread_name":"node-a↔node-b:builds","session_id":"s-2"}`)
	other := s.openThread(`{"thread_name":"node-a↔node-b:prices"}`)
	assert.Equal(t, true, first["created"])
	assert.Equal(t, false, again["created"])
	assert.Equal(t, first["thread_uuid"], again["thread_uuid"])
	assert.Equal(t, "s-1", again["session_id"])
	assert.Greater(t, again["last_used_at"], first["last_used_at"])
	assert.NotEqual(t, first["thread_uuid"], other["thread_uuid"])
	assert.Nil(t, other["session_id"])
}

func TestThreadsAreListedNewestUsedFirst(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.openThread(`{"thread_name":"node-a↔node-b:builds","session_id":"s-1"}`)
	s.openThread(`{"thread_name":"node-b↔node-c:builds"}`)
	s.openThread(`{"thread_name":"plain"}`)
	s.openThread(`{"thread_name":"node-a↔node-b:builds"}`)
	const ab, bc, plain = "node-a↔node-b:builds", "node-b↔node-c:builds", "plain"
	for query, want := range map[string][]any{
		"":                       {ab, plain, bc},
		"?peer=node-b":           {ab, bc},
		"?peer=node":             {},
		"?peer=node-a":           {ab},
		"?topic=builds":          {ab, bc},
		"?topic=builds&limit=1":  {ab},
		"?session_id=s-1":        {ab},
		"?session_id=s-2":        {},
		"?peer=plain&limit=100":  {plain},
		"?peer=node-c&topic=x":   {},
		"?peer=node-c&limit=100": {bc},
	} {
		assert.Equal(t, want, column(s.call("GET", "/threads"+query, "").rows(t, "threads"), "thread_name"), query)
	}
}

func TestMessagesOfAThreadAreOldestFirst(t *testing.T) {
	t.Parallel()
	s := start(t, gatewaytest.WithThreads("t-1"))
	for i := range 102 {
		s.call("POST", "/messages", message(strconv.Itoa(i), `,"thread_id":"t-1"`))
	}
	s.call("POST", "/messages", message("not in the thread"))
	for query, want := range map[string]int{"": 100, "?limit=1": 1, "?limit=1000": 102} {
		rows := s.call("GET", "/threads/t-1"+query, "").rows(t, "messages")
		assert.Len(t, rows, want, query)
		assert.Equal(t, "0", rows[0]["content"])
		assert.NotContains(t, rows[0], "thread_id")
	}
	assert.Equal(t, 404, s.call("GET", "/threads/t-2", "").status)
	assert.Equal(t, 422, s.refused("GET", "/threads/t-1?limit=1001", "").status)
}

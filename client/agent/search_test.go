package agent_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	generated "github.com/mesh-gateway/mesh-go/gen/gateway"
)

func TestGetMessageReturnsAMessageReadOrUnread(t *testing.T) {
	t.Parallel()
	for _, opts := range [][]gatewaytest.Option{nil, {gatewaytest.WithBareArrays()}} {
		g := gateway(t, opts...)
		first, second := g.Store("node-b", "node-a", "question", "Is it green?"), g.Store("node-c", "node-a", "fyi", "[{\"id\":1}]")
		c := connect(t, g, "node-a")
		require.NoError(t, c.MarkRead(t.Context(), first))
		m, err := agent.GetMessage(t.Context(), c, first)
		require.NoError(t, err)
		assert.Equal(t, "Is it green?", m.GetContent())
		assert.NotNil(t, m.ReadAt)
		m, err = agent.GetMessage(t.Context(), c, second)
		require.NoError(t, err)
		assert.Equal(t, "node-c", m.FromNode)
		assert.Nil(t, m.ReadAt)
	}
}

// notInInbox requires that err is a *NotInInboxError and returns it.
func notInInbox(t *testing.T, err error) *agent.NotInInboxError {
	t.Helper()
	var absent *agent.NotInInboxError
	require.ErrorAs(t, err, &absent)
	require.ErrorIs(t, err, client.ErrMesh)
	return absent
}

func TestGetMessageOfACompleteInboxSearchesNothingElse(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	others := g.Store("node-b", "node-c", "question", "for another node")
	c := connect(t, g, "node-a")
	for _, id := range []int64{others, 99} {
		_, err := agent.GetMessage(t.Context(), c, id)
		assert.Equal(t, &agent.NotInInboxError{ID: id}, notInInbox(t, err))
		assert.EqualError(t, err, fmt.Sprintf("mesh: message %d is not in the inbox of this node", id))
	}
	assert.Len(t, g.Requests(), 2)
	_, err := agent.GetMessage(t.Context(), c, 0)
	assert.Equal(t, "id", valueError(t, err).Field)
}

// Together the messages exceed a response's size limit several times.
func TestGetMessageFindsAMessageAmongHugeOnes(t *testing.T) {
	t.Parallel()
	for name, flood := range map[string]struct {
		content string
		count   int
	}{
		"control characters": {long("\x01", 50_000), 4},
		"long texts":         {long("x", 50_000), 22},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := gateway(t)
			honest := g.Store("node-b", "node-a", "question", "Is it green?")
			var last int64
			for range flood.count {
				last = g.Store("node-b", "node-a", "question", flood.content)
			}
			c := connect(t, g, "node-a", client.WithMaxResponseBytes(1<<20), client.WithTimeout(time.Minute))
			for id, want := range map[int64]string{honest: "Is it green?", last / 2: flood.content, last: flood.content} {
				m, err := agent.GetMessage(t.Context(), c, id)
				require.NoError(t, err)
				assert.Equal(t, want, m.GetContent())
			}
			assert.Len(t, g.Requests(), 3, "one request for each")
		})
	}
}

// The gateway lists no more than 1000 messages.
func TestGetMessageFindsAMessageBehindAThousandOthers(t *testing.T) {
	t.Parallel()
	g := gateway(t, gatewaytest.WithPeers("node-a", "node-b", "node-c"))
	node, other := connect(t, g, "node-a"), connect(t, g, "node-b")
	thread, err := other.OpenThread(t.Context(), "node-a↔node-b:builds")
	require.NoError(t, err)
	flood := func(from string, read bool) {
		for range 1000 {
			id := g.Store(from, "node-a", "fyi", "x")
			if read {
				require.NoError(t, node.MarkRead(t.Context(), id))
			}
		}
	}
	hidden := g.Store("node-x", "node-a", "fyi", "the sender is not registered")
	inThread, err := other.Send(t.Context(), client.SendRequest{To: "node-a", Kind: "fyi", Content: "in a thread", ThreadID: thread.ID})
	require.NoError(t, err)
	flood("node-b", false)
	ofAnother := g.Store("node-c", "node-a", "fyi", "of another sender")
	flood("node-b", false)
	unread := g.Store("node-x", "node-a", "fyi", "unread")
	flood("node-b", true)
	for id, want := range map[int64]string{inThread.ID: "in a thread", ofAnother: "of another sender", unread: "unread"} {
		m, err := agent.GetMessage(t.Context(), node, id)
		require.NoError(t, err, want)
		assert.Equal(t, want, m.GetContent())
	}
	_, err = agent.GetMessage(t.Context(), node, hidden)
	assert.Equal(t, "the newest 1000 messages of the inbox, its newest 1000 unread ones, and the newest 1000 of each of 1 threads and from each of 3 peers",
		notInInbox(t, err).Searched)
	require.ErrorContains(t, err, "was not found in the newest")
}

func TestGetMessageRequestsFewerMessagesIfOneIsTooLarge(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	g.Store("node-b", "node-a", "fyi", long("x", 5000))
	for range 3 {
		g.Store("node-b", "node-a", "fyi", "x")
	}
	c := connect(t, g, "node-a", client.WithMaxResponseBytes(1000))
	m, err := agent.GetMessage(t.Context(), c, 2)
	require.NoError(t, err)
	assert.Equal(t, int64(2), m.ID)
	assert.Len(t, g.Requests(), 1, "what follows the message is not read")
	_, err = agent.GetMessage(t.Context(), c, 1)
	assert.Equal(t, []int{1000, 1000, 250, 62, 15, 3}, limits(g)[:6])
	assert.Contains(t, notInInbox(t, err).Searched, "the newest 3 messages of the inbox")
}

// A gateway without threads, whose filters select everything.
func TestGetMessageAtAnOldGateway(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	for id := 2000; id > 1000; id-- {
		fmt.Fprintf(&rows, `{"id":%d,"from_node":"node-b","to_node":"node-%c","kind":"fyi","created_at":""},`, id, "ab"[id%2])
	}
	list := "[" + strings.TrimSuffix(rows.String(), ",") + "]"
	c := inProcess(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/messages":
			_, _ = w.Write([]byte(list))
		case "/peers":
			_, _ = w.Write([]byte(`[{"name":"node-b"}]`))
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"detail":"Not Found"}`))
		}
	})
	m, err := agent.GetMessage(t.Context(), c, 1002)
	require.NoError(t, err)
	assert.Equal(t, "node-a", m.ToNode)
	_, err = agent.GetMessage(t.Context(), c, 1001)
	assert.Contains(t, notInInbox(t, err).Searched, "of 0 threads and from each of 1 peers", "a message to another node is not returned")
}

func TestGetMessageReturnsAFailureOfAnyList(t *testing.T) {
	t.Parallel()
	for _, op := range []gatewaytest.Operation{gatewaytest.ListMessages, gatewaytest.ListThreads, gatewaytest.ListPeers} {
		g := gateway(t)
		for range 1000 {
			g.Store("node-b", "node-a", "fyi", "x")
		}
		g.Fail(op, gatewaytest.Fault{Status: 503})
		_, err := agent.GetMessage(t.Context(), connect(t, g, "node-a"), 5000)
		assert.Equal(t, 503, gatewayError(t, err).StatusCode, op)
	}
}

func TestGetMessageOfABrokenResponseIsAnError(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"messages":[{"id":7,"from_node":"node-b"`: "not JSON",
		`{"messages":[{"id":8}`:                     "not JSON",
		`{"messages":null}`:                         "messages: null where a value is required",
		`{}`:                                        "messages: required field is missing",
		`<html>`:                                    "not JSON",
	} {
		_, err := agent.GetMessage(t.Context(), answering(t, 200, "application/json", body), 7)
		require.ErrorContains(t, gatewayError(t, err), want, body)
	}
}

func TestGetMessageOfAnInvalidRow(t *testing.T) {
	t.Parallel()
	good := `{"id":70,"from_node":"node-b","to_node":"node-a","kind":"fyi","created_at":"7"}`
	for body, want := range map[string]string{
		`{"messages":[` + good + `,{"id":7,"from_node":"node-b"}]}`: "mesh: message 7 cannot be decoded: to_node: required field is missing",
		`{"messages":[{"id":7,"from_node":"node-b"}]}`:              "mesh: message 7 cannot be decoded: to_node: required field is missing",
		`[7,` + good + `]`:                 "mesh: a row without a valid id or name cannot be decoded: got number, want object",
		`[{"id":"7"}]`:                     "mesh: a row without a valid id or name cannot be decoded: id: got string, want number",
		`[null,[],{"id":77},` + good + `]`: "mesh: message 7 is not in the inbox of this node",
	} {
		c := answering(t, 200, "application/json", body)
		_, err := agent.GetMessage(t.Context(), c, 7)
		require.EqualError(t, err, want, body)
		require.ErrorIs(t, err, client.ErrMesh)
		if strings.Contains(body, good) {
			m, err := agent.GetMessage(t.Context(), c, 70)
			require.NoError(t, err, body)
			assert.Equal(t, int64(70), m.ID)
		}
	}
}

// GetMessage finds a message wherever the decoder would find it.
func FuzzGetMessage(f *testing.F) {
	row := func(id string) string {
		return `{"id":` + id + `,"from_node":"node-b","to_node":"node-a","kind":"fyi","created_at":"7"}`
	}
	f.Add(`[` + row("7") + `]`)
	f.Add(`{"n":{"7":[{},{}],"x":7},"messages" : [ ` + row("6") + ` , ` + row("7") + `,` + row("8") + `]}`)
	f.Add(`{"messages":[` + row("8") + `,null]} x`)
	f.Add(`{"messages":[` + row("7") + `],"messages":[` + row("8") + `,` + row("7") + `]}`)
	f.Add(`[[` + row("7") + `,` + row("7") + `],{"content":"\\\"{","id":7}`)
	f.Fuzz(func(t *testing.T, body string) {
		var list generated.MessageList
		if json.Unmarshal([]byte(body), &list) != nil {
			return
		}
		var want *client.MeshMessage
		for _, m := range list.Messages {
			if want == nil && m.ID == 7 && m.ToNode == "node-a" {
				want = &m
			}
		}
		c := inProcess(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
		m, err := agent.GetMessage(t.Context(), c, 7)
		require.Equal(t, want, m, "%v", err)
		require.Equal(t, want != nil, err == nil)
	})
}

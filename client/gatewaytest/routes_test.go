package gatewaytest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/reply"
)

// validRequests has a valid request for each operation.
var validRequests = map[gatewaytest.Operation][3]string{
	gatewaytest.ListPeers:       {"GET", "/peers", ""},
	gatewaytest.RegisterPeer:    {"POST", "/peers/register", `{"name":"node-d","url":"http://d"}`},
	gatewaytest.ListMessages:    {"GET", "/messages?to=node-b", ""},
	gatewaytest.SendMessage:     {"POST", "/messages", message("hello")},
	gatewaytest.MarkMessageRead: {"POST", "/messages/1/read", ""},
	gatewaytest.GetPeer:         {"GET", "/peers/node-a", ""},
	gatewaytest.ListThreads:     {"GET", "/threads", ""},
	gatewaytest.OpenThread:      {"POST", "/threads", `{"thread_name":"node-a↔node-b:builds"}`},
	gatewaytest.GetThread:       {"GET", "/threads/t-1", ""},
	gatewaytest.GetHealth:       {"GET", "/health", ""},
}

func TestEveryOperationButHealthRequiresTheToken(t *testing.T) {
	t.Parallel()
	for op, request := range validRequests {
		t.Run(string(op), func(t *testing.T) {
			t.Parallel()
			s := start(t, gatewaytest.WithThreads("t-1"))
			s.Store("node-a", "node-b", "fyi", "to be marked")
			method, path, body := request[0], request[1], request[2]
			send := func(authorization, refusal string) {
				r, _ := s.exchange(method, path, body, "Authorization", authorization)
				if op == gatewaytest.GetHealth {
					assert.Equal(t, 200, r.Status)
					return
				}
				assert.Equal(t, 401, r.Status)
				assert.JSONEq(t, `{"detail":"`+refusal+`"}`, r.Body)
			}
			send("", "missing bearer token")
			send("Basic "+token, "missing bearer token")
			send(token, "missing bearer token")
			send("Bearer "+token+"x", "bad token")
			send("Bearer ", "missing bearer token") // net/http removes the space at the end
			assert.Len(t, s.inbox("node-b"), 1, "a refused request has no effect")
			assert.Equal(t, 200, s.call(method, path, body, "Authorization", "Bearer   "+token).Status, "more than one space")
			assert.Empty(t, s.Requests(op)[0].Token.Reveal())
			sent := s.Requests(op)
			assert.Equal(t, token, sent[len(sent)-1].Token.Reveal())
		})
	}
}

func TestGatewayWithoutTokenAcceptsEveryRequest(t *testing.T) {
	t.Parallel()
	s := startBare(t)
	for _, request := range validRequests {
		for _, authorization := range []string{"", "Bearer any.token.at.all"} {
			r, _ := s.exchange(request[0], request[1], request[2], "Authorization", authorization)
			assert.NotEqual(t, 401, r.Status, request)
		}
	}
}

func TestTokenOfAPeerIsAccepted(t *testing.T) {
	t.Parallel()
	s := start(t)
	peerToken := register(s, "node-c", `"http://c"`)
	authorization := []string{"Authorization", "Bearer " + peerToken}
	assert.Equal(t, 200, s.call("GET", "/peers", "", authorization...).Status)
	sent := s.call("POST", "/messages", message("from another node"), authorization...)
	assert.Equal(t, "node-a", sent.Object(t)["from_node"], "the gateway does not compare from_node with the token")
}

func TestInvalidRequestWithoutTokenIsInvalid(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, request := range [][3]string{
		{"POST", "/messages", `{"from_node":"node-a"}`},
		{"POST", "/peers/register", `{}`},
		{"POST", "/threads", `{}`},
		{"GET", "/messages?limit=0", ""},
		{"GET", "/threads?limit=0", ""},
		{"POST", "/messages/x/read", ""},
	} {
		r, err := s.faulty(request[0], request[1], request[2], "Authorization", "")
		require.NoError(t, err)
		assert.Equal(t, 422, r.Status, request)
	}
	r, err := s.faulty("POST", "/messages", strings.Replace(message("x"), "fyi", "FYI", 1), "Authorization", "")
	require.NoError(t, err)
	assert.Equal(t, 401, r.Status, "the kind is checked after the token")
}

// A client that drops the base path of its URL must fail.
func TestURLHasABasePath(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.URL = strings.TrimSuffix(s.URL, "/gateway")
	r, err := s.faulty("GET", "/peers", "")
	require.NoError(t, err)
	assert.Equal(t, 404, r.Status)
}

func TestOptionsConnectAClient(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, err := client.New("node-a", append(s.Options(), client.WithTimeout(time.Hour))...)
	require.NoError(t, err)
	defer a.Close()
	_, err = a.Send(t.Context(), client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "hello"})
	require.NoError(t, err)
	assert.Equal(t, []any{"hello"}, reply.Column(s.inbox("node-b"), "content"))
}

package gatewaytest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
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

// A client that drops its URL's base path must fail.
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
	assert.Equal(t, []any{"hello"}, nettest.Column(s.inbox("node-b"), "content"))
}

func TestRequestsAreRecorded(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.Empty(t, s.Requests())
	s.call("POST", "/messages", message("hello"), "X-Trace", "kept")
	s.call("GET", "/messages?to=node-b&limit=5", "")
	s.call("GET", "/health", "", "Authorization", "")

	all := s.Requests()
	require.Len(t, all, 3)
	sent := all[0]
	assert.Equal(t, gatewaytest.SendMessage, sent.Operation)
	assert.Equal(t, "POST", sent.Method)
	assert.Equal(t, "/messages", sent.Path, "without the base path")
	assert.Equal(t, message("hello"), sent.Body)
	assert.Equal(t, "kept", sent.Header.Get("X-Trace"))
	assert.NotContains(t, sent.Header, "Authorization")
	assert.True(t, sent.HasToken)
	assert.Equal(t, token, sent.Token.Reveal())
	assert.Equal(t, url.Values{"to": {"node-b"}, "limit": {"5"}}, all[1].Query)
	assert.Empty(t, all[1].Body)
	assert.False(t, all[2].HasToken)
	assert.Empty(t, all[2].Token.Reveal())
}

func TestRequestsOfSomeOperations(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{"/health", "/peers", "/messages?to=a", "/health"} {
		s.call("GET", path, "")
	}
	operations := func(ops ...gatewaytest.Operation) []gatewaytest.Operation {
		found := []gatewaytest.Operation{}
		for _, r := range s.Requests(ops...) {
			found = append(found, r.Operation)
		}
		return found
	}
	const health, peers, messages = gatewaytest.GetHealth, gatewaytest.ListPeers, gatewaytest.ListMessages
	assert.Equal(t, []gatewaytest.Operation{health, peers, messages, health}, operations())
	assert.Equal(t, []gatewaytest.Operation{health, health}, operations(health))
	assert.Equal(t, []gatewaytest.Operation{health, messages, health}, operations(messages, health), "oldest first")
	assert.Empty(t, operations(gatewaytest.SendMessage))
}

func TestFailedAndRejectedRequestsAreRecorded(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Fail(gatewaytest.ListPeers, gatewaytest.Fault{HangUp: true})
	_, err := s.faulty("GET", "/peers", "")
	require.Error(t, err)
	_, err = s.faulty("GET", "/peers", "", "Authorization", "Bearer wrong")
	require.NoError(t, err)
	_, err = s.faulty("DELETE", "/nowhere?x=1", "body")
	require.NoError(t, err)
	all := s.Requests()
	require.Len(t, all, 3)
	assert.Equal(t, "wrong", all[1].Token.Reveal())
	assert.Equal(t, gatewaytest.Operation(""), all[2].Operation)
	assert.Equal(t, "DELETE /nowhere body", all[2].Method+" "+all[2].Path+" "+all[2].Body)
	assert.Empty(t, s.Requests(gatewaytest.SendMessage))
}

func TestReturnedRequestsDoNotChange(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.call("GET", "/health", "")
	first := s.Requests()
	first[0].Path = "changed"
	s.call("GET", "/peers", "")
	assert.Len(t, first, 1)
	assert.Equal(t, "/health", s.Requests()[0].Path)
}

// A failing test prints its values. The token may be a real one.
func TestTokenIsNeverPrinted(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.call("GET", "/peers", "")
	s.call("POST", "/messages", message("hello", `,"idempotency_key":"k-1"`))
	s.Fail(gatewaytest.GetHealth, gatewaytest.Fault{})
	request := s.Requests()[0]
	require.Equal(t, token, request.Token.Reveal())
	for name, value := range map[string]any{
		"request": request, "pointer": &request, "requests": s.Requests(), "gateway": s.Gateway, "options": s.Options(),
	} {
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "value", value)
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "value", value)
		marshalled, _ := json.Marshal(value) // options are functions, which have no JSON
		printed := fmt.Sprintf("%v %+v %#v %s %q %x", value, value, value, value, value, value)
		for _, shown := range []string{printed, string(marshalled), log.String()} {
			assert.NotContains(t, shown, token, name)
			assert.NotContains(t, shown, fmt.Sprintf("%x", token), name)
		}
	}
}

func TestForgetRequests(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.call("GET", "/peers", "")
	before := s.Requests()
	s.ForgetRequests()
	assert.Empty(t, s.Requests())
	s.call("GET", "/health", "")
	require.Len(t, s.Requests(), 1)
	assert.Equal(t, gatewaytest.GetHealth, s.Requests()[0].Operation)
	assert.Equal(t, gatewaytest.ListPeers, before[0].Operation, "the returned slice is unchanged")
}

package gatewaytest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// everything holds a good request for each operation.
var everything = map[gatewaytest.Operation][3]string{
	gatewaytest.ListPeers:       {"GET", "/peers", ""},
	gatewaytest.RegisterPeer:    {"POST", "/peers/register", `{"name":"node-d","url":"http://d"}`},
	gatewaytest.ListMessages:    {"GET", "/messages?to=node-b", ""},
	gatewaytest.SendMessage:     {"POST", "/messages", message("hello")},
	gatewaytest.MarkMessageRead: {"POST", "/messages/1/read", ""},
	gatewaytest.GetHealth:       {"GET", "/health", ""},
}

func TestTokenIsDemandedOfEverythingButHealth(t *testing.T) {
	t.Parallel()
	for op, request := range everything {
		t.Run(string(op), func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Store("node-a", "node-b", "fyi", "to be marked")
			method, path, body := request[0], request[1], request[2]
			send := func(authorization, refusal string) {
				r, _ := s.exchange(method, path, body, "Authorization", authorization)
				if op == gatewaytest.GetHealth {
					assert.Equal(t, 200, r.status)
					return
				}
				assert.Equal(t, 401, r.status)
				assert.JSONEq(t, `{"detail":"`+refusal+`"}`, r.body)
			}
			send("", "missing bearer token")
			send("Basic "+token, "missing bearer token")
			send(token, "missing bearer token")
			send("Bearer "+token+"x", "bad token")
			send("Bearer ", "missing bearer token") // net/http trims the blank, so nothing follows Bearer
			assert.Len(t, s.inbox("node-b"), 1, "what is refused has no effect")
			assert.Equal(t, 200, s.call(method, path, body).status)
			assert.Empty(t, s.Requests(op)[0].Token.Reveal())
		})
	}
}

func TestWithoutATokenAnybodyIsLetIn(t *testing.T) {
	t.Parallel()
	s := startBare(t)
	for _, request := range everything {
		for _, authorization := range []string{"", "Bearer any.token.at.all"} {
			r, _ := s.exchange(request[0], request[1], request[2], "Authorization", authorization)
			assert.NotEqual(t, 401, r.status, request)
		}
	}
}

func TestPathsThatLeadNowhereAreNotFound(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{"/", "/nowhere", "/messages/1"} {
		r, err := s.faulty("GET", path, "")
		require.NoError(t, err)
		assert.Equal(t, 404, r.status, path)
		assert.JSONEq(t, `{"detail":"Not Found"}`, r.body)
	}
}

// A client that drops the base path of its URL must not work here by accident.
func TestURLHasABasePath(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.URL = strings.TrimSuffix(s.URL, "/gateway")
	r, err := s.faulty("GET", "/peers", "")
	require.NoError(t, err)
	assert.Equal(t, 404, r.status)
}

func TestOptionsConnectAClient(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, err := client.New("node-a", append(s.Options(), client.WithTimeout(client.DefaultTimeout))...)
	require.NoError(t, err)
	defer a.Close()
	_, err = a.Send(t.Context(), client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "hello"})
	require.NoError(t, err)
	assert.Equal(t, []any{"hello"}, column(s.inbox("node-b"), "content"))
}

package gatewaytest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

func (s *testGateway) peers() []map[string]any {
	s.t.Helper()
	return s.call("GET", "/peers", "").Rows(s.t, "peers")
}

func TestPeersAreListedByName(t *testing.T) {
	t.Parallel()
	peers := startBare(t, gatewaytest.WithToken(token), gatewaytest.WithPeers("node-b", "node-a")).peers()
	assert.Equal(t, []any{"node-a", "node-b"}, nettest.Column(peers, "name"))
	assert.Equal(t, []any{"http://node-a", "http://node-b"}, nettest.Column(peers, "url"))
	assert.Equal(t, []any{json.Number("1"), json.Number("1")}, nettest.Column(peers, "enabled"), "a number, not a boolean")
	assert.Equal(t, map[string]any{}, peers[0]["capabilities"])
	assert.Regexp(t, timestamp, peers[0]["registered_at"])
}

func TestEmptyRegistryIsAnEmptyList(t *testing.T) {
	t.Parallel()
	assert.JSONEq(t, `{"peers":[]}`, startBare(t).call("GET", "/peers", "").Body)
	assert.JSONEq(t, `[]`, startBare(t, gatewaytest.WithBareArrays()).call("GET", "/peers", "").Body)
}

func TestPeerTokenIsReturnedOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	first := s.call("POST", "/peers/register", `{"name":"node-c","url":"http://c"}`).Object(t)
	assert.Regexp(t, "^EXAMPLE-", first["peer_token"])
	assert.Equal(t, "minted", first["token_status"])
	for _, name := range []string{"node-c", "node-a"} {
		again := s.call("POST", "/peers/register", `{"name":"`+name+`","url":"http://c"}`).Object(t)
		assert.Contains(t, again, "peer_token")
		assert.Nil(t, again["peer_token"], name)
		assert.Equal(t, "existing", again["token_status"])
	}
	other := s.call("POST", "/peers/register", `{"name":"node-d","url":"http://d"}`).Object(t)
	assert.NotEqual(t, first["peer_token"], other["peer_token"])
}

func TestRegisteringAgainReplacesAllCapabilities(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, test := range []struct {
		sent string
		want map[string]any
	}{
		{`,"capabilities":{"runtime":"go","max_jobs":9007199254740993}`, map[string]any{"runtime": "go", "max_jobs": json.Number("9007199254740993")}},
		{`,"capabilities":{"gpu":true}`, map[string]any{"gpu": true}},
		{`,"capabilities":{}`, map[string]any{}},
		{`,"capabilities":{"gpu":true}`, map[string]any{"gpu": true}},
		{``, map[string]any{}},
	} {
		s.call("POST", "/peers/register", `{"name":"node-a","url":"http://moved"`+test.sent+`}`)
		peers := s.peers()
		assert.Equal(t, []any{"node-a", "node-b"}, nettest.Column(peers, "name"), "no peer is added")
		assert.Equal(t, test.want, peers[0]["capabilities"])
		assert.Equal(t, "http://moved", peers[0]["url"])
	}
}

func TestRegistrationWithoutNameOrURLIsRejected(t *testing.T) {
	t.Parallel()
	s := start(t)
	for field, body := range map[string]string{"url": `{"name":"node-d"}`, "name": `{"url":"http://d"}`} {
		r, _ := s.exchange("POST", "/peers/register", body)
		assert.Equal(t, 422, r.Status)
		assert.JSONEq(t, `{"detail":[{"type":"missing","loc":["body","`+field+`"],"msg":"Field required","input":`+body+`}]}`, r.Body)
	}
	assert.Len(t, s.peers(), 2)
}

func TestNamesAndURLsAreLimited(t *testing.T) {
	t.Parallel()
	s := start(t)
	long := func(n int) string { return strings.Repeat("é", n) }
	assert.Equal(t, 200, s.call("POST", "/peers/register", `{"name":"`+long(64)+`","url":"`+long(256)+`"}`).Status)
	r, _ := s.exchange("POST", "/peers/register", `{"name":"`+long(65)+`","url":"`+long(257)+`"}`)
	assert.Equal(t, 422, r.Status)
	assert.Len(t, r.Rows(t, "detail"), 2, "every invalid field is listed")
	r, _ = s.exchange("POST", "/peers/register", `{"name":"node-d","url":"","capabilities":[]}`)
	assert.Equal(t, []any{"string_too_short", "dict_type"}, nettest.Column(r.Rows(t, "detail"), "type"))
	r, err := s.faulty("POST", "/peers/register", `{"name":"node-d","url":"http://d","capabilities":null}`)
	require.NoError(t, err)
	assert.Equal(t, 422, r.Status)
	assert.JSONEq(t, `{"detail":[{"type":"dict_type","loc":["body","capabilities"],"msg":"Input should be a valid dictionary","input":null}]}`, r.Body)
	assert.Len(t, s.peers(), 3)
}

func TestOnePeer(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.Equal(t, "node-a", s.call("GET", "/peers/node-a", "").Object(t)["name"])
	s.Disable("node-a", true)
	assert.Equal(t, json.Number("0"), s.call("GET", "/peers/node-a", "").Object(t)["enabled"])
	unknown := s.call("GET", "/peers/ghost", "")
	assert.Equal(t, 404, unknown.Status)
	assert.JSONEq(t, `{"detail":"peer 'ghost' not registered"}`, unknown.Body)
}

func TestDisabledPeersAreHiddenByDefault(t *testing.T) {
	t.Parallel()
	s := start(t)
	enabled := func() any { return s.call("GET", "/health", "").Object(t)["n_peers_enabled"] }
	s.Disable("node-a", true)
	s.Disable("ghost", true) // unknown: nothing happens
	assert.Equal(t, []any{"node-b"}, nettest.Column(s.peers(), "name"))
	assert.Equal(t, json.Number("1"), enabled())
	all, _ := s.exchange("GET", "/peers?enabled_only=false", "")
	assert.Equal(t, []any{json.Number("0"), json.Number("1")}, nettest.Column(all.Rows(t, "peers"), "enabled"))
	bad, _ := s.exchange("GET", "/peers?enabled_only=", "")
	assert.Equal(t, 422, bad.Status)
	s.Disable("node-a", false)
	assert.Equal(t, []any{"node-a", "node-b"}, nettest.Column(s.peers(), "name"))
	assert.Equal(t, json.Number("2"), enabled())
}

func TestSendingMovesLastSeenOfTheSender(t *testing.T) {
	t.Parallel()
	s := start(t)
	before := s.peers()
	sent := s.call("POST", "/messages", message("hello")).Object(t)
	after := s.peers()
	assert.Equal(t, sent["created_at"], after[0]["last_seen"])
	assert.Equal(t, before[0]["registered_at"], after[0]["registered_at"])
	assert.Equal(t, before[1]["last_seen"], after[1]["last_seen"], "the recipient is not touched")
}

package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	generated "github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

func TestPeersAreComparedByTheirText(t *testing.T) {
	t.Parallel()
	peer := func(token string) (p client.MeshPeer) {
		require.NoError(t, json.Unmarshal([]byte(`{"name":"node-b","capabilities":{"n":1},"peer_token":"`+token+`"}`), &p))
		return p
	}
	first, same, other := peer("one"), peer("one"), peer("two")
	assert.Equal(t, first, same, "testify")
	assert.NotEqual(t, first, other)
	assert.True(t, first.PeerToken.Equal(*same.PeerToken), "go-cmp calls this method")
	assert.False(t, first.PeerToken.Equal(*other.PeerToken))
}

func TestGetPeer(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	g.Disable("node-c", true)
	c := connect(t, g, "node-a", client.WithAliases(map[string]string{"helper": "node-b"}))
	peer, err := c.GetPeer(t.Context(), "helper")
	require.NoError(t, err)
	assert.Equal(t, "node-b", peer.Name)
	disabled, err := c.GetPeer(t.Context(), "node-c")
	require.NoError(t, err)
	assert.False(t, disabled.Enabled)
	_, err = c.GetPeer(t.Context(), "node-zz")
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, "node-zz", unknown.Name)
}

func TestMissingPeerEndpointIsNotAnUnknownPeer(t *testing.T) {
	t.Parallel()
	_, err := answering(t, 404, "application/json", `{"detail":"Not Found"}`).GetPeer(t.Context(), "node-b")
	assert.Contains(t, gatewayError(t, err).Error(), "base path")
}

func TestUnknownPeerIsUnknownAfterARetry(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	g.Fail(gatewaytest.GetPeer, gatewaytest.Fault{Status: http.StatusServiceUnavailable})
	_, err := connect(t, g, "node-a", client.WithRetry(client.RetryPolicy{BaseDelay: 1})).GetPeer(t.Context(), "node-zz")
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
}

func TestTokenAsTheNameOfAPeerIsNotShown(t *testing.T) {
	t.Parallel()
	pasted := strings.Join([]string{"peer", "token", "7331733173317331"}, "-") + "-0123456789abcdefABCDEF"
	_, err := connect(t, gateway(t), "node-a").GetPeer(t.Context(), pasted)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "7331733173317331")
}

func TestPeerWithEnabledAsANumber(t *testing.T) {
	t.Parallel()
	c := answering(t, 200, "application/json", `{"peers":[{"name":"one","enabled":1},{"name":"zero","enabled":0},
		{"name":"yes","enabled":true},{"name":"no","enabled":false},{"name":"absent"}]}`)
	peers, err := c.ListPeers(t.Context())
	require.NoError(t, err)
	enabled := make(map[string]bool)
	for _, p := range peers {
		enabled[p.Name] = p.Enabled
	}
	assert.Equal(t, map[string]bool{"one": true, "zero": false, "yes": true, "no": false, "absent": true}, enabled)
}

func TestRegistrationReturnsPartOfAPeerAndItsTokenOnce(t *testing.T) {
	t.Parallel()
	c := connect(t, gateway(t), "node-new")
	first, err := c.Register(t.Context(), client.RegisterRequest{URL: "http://node-new"})
	require.NoError(t, err)
	assert.Equal(t, "node-new", first.Name)
	assert.NotNil(t, first.RegisteredAt)
	assert.Nil(t, first.URL, "a field that is missing from the response stays nil")
	assert.NotNil(t, first.Capabilities)
	assert.JSONEq(t, `"minted"`, string(first.AdditionalProperties["token_status"]))
	require.NotNil(t, first.PeerToken)
	secret := first.PeerToken.Reveal()
	assert.True(t, strings.HasPrefix(secret, "EXAMPLE-"))

	marshalled, err := json.Marshal(first)
	require.NoError(t, err)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("registered", "peer", first, "token", first.PeerToken)
	for _, shown := range []string{fmt.Sprintf("%v %+v %#v %s", first, first, first, first.PeerToken), string(marshalled), log.String()} {
		assert.NotContains(t, shown, secret)
	}

	second, err := c.Register(t.Context(), client.RegisterRequest{URL: "http://node-new"})
	require.NoError(t, err)
	assert.Nil(t, second.PeerToken)
}

func TestRegistrationHasADefaultURL(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	_, err := connect(t, g, "node-d").Register(t.Context(), client.RegisterRequest{})
	require.NoError(t, err)
	assert.JSONEq(t, `{"name":"node-d","url":"http://node-d:8787"}`, g.Requests(gatewaytest.RegisterPeer)[0].Body, "capabilities are left off the wire")
}

// Older gateways only list the enabled peers.
func TestGetPeerAtAGatewayThatOnlyLists(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	g.Fail(gatewaytest.GetPeer, gatewaytest.Fault{Status: 404, Body: `{"detail":"Not Found"}`, Times: -1})
	peer, err := c.GetPeer(t.Context(), "node-b")
	require.NoError(t, err)
	assert.Equal(t, "node-b", peer.Name)
	_, err = c.GetPeer(t.Context(), "node-x")
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, "node-x", unknown.Name)

	g.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Body: `[{"name":"node-c","enabled":"x"},{"name":"node-b"}]`})
	_, err = c.GetPeer(t.Context(), "node-c")
	var row *client.RowError
	require.ErrorAs(t, err, &row)
	assert.Equal(t, "node-c", row.Name)
	g.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Status: 503})
	_, err = c.GetPeer(t.Context(), "node-b")
	assert.Equal(t, 404, gatewayError(t, err).StatusCode)
}

func TestOnlyRegisterRegistersAndItReplacesCapabilities(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a", client.WithRetry(client.RetryPolicy{}))
	ctx := t.Context()
	for _, capabilities := range []map[string]any{{"runtime": "go", "max_jobs": int64(9007199254740993)}, {}} {
		_, err := c.Register(ctx, client.RegisterRequest{URL: "http://node-a", Capabilities: capabilities})
		require.NoError(t, err)
	}
	bodies := g.Requests(gatewaytest.RegisterPeer)
	assert.Contains(t, bodies[0].Body, `"max_jobs":9007199254740993`)
	assert.Contains(t, bodies[1].Body, `"capabilities":{}`, "an empty map clears what was there, so it is sent")
	peers, err := c.ListPeers(ctx)
	require.NoError(t, err)
	assert.Empty(t, peers[0].Capabilities)

	g.Fail(gatewaytest.RegisterPeer, gatewaytest.Fault{Status: 503})
	_, err = c.Register(ctx, client.RegisterRequest{URL: "http://node-a"})
	assert.Equal(t, 503, gatewayError(t, err).StatusCode)
	for name, call := range operations {
		if name != "Register" && name != "Watch" {
			_ = call(ctx, c)
		}
	}
	assert.Len(t, g.Requests(gatewaytest.RegisterPeer), 3, "one request each, and none besides")
}

func TestMessageToAnUnknownPeerIsNotPosted(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	_, err := connect(t, g, "node-a").Send(t.Context(), hello("ghost"))
	var absent *client.NotInRegistryError
	require.ErrorAs(t, err, &absent)
	require.ErrorIs(t, err, client.ErrMesh)
	assert.Equal(t, "ghost", absent.Name)
	assert.Empty(t, g.Requests(gatewaytest.SendMessage))
}

func TestDisabledPeersAreNotInTheRegistry(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	g.Disable("node-b", true)
	_, err := connect(t, g, "node-a").Send(t.Context(), hello("node-b"))
	require.ErrorContains(t, err, "not registered or not enabled")

	// Other gateways list them with enabled false.
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, http.MethodGet, r.Method, "nothing is posted")
		_, _ = w.Write([]byte(`[{"name":"node-b","enabled":0}]`))
	})
	_, err = c.Send(context.Background(), hello("node-b"))
	require.ErrorContains(t, err, "not registered or not enabled")
}

// failures collects what a failed assertion prints.
type failures struct{ text string }

func (f *failures) Errorf(format string, args ...any) { f.text += fmt.Sprintf(format, args...) }

func TestTestifyComparesPeersWithoutShowingTheirTokens(t *testing.T) {
	t.Parallel()
	register := func(text string) *client.MeshPeer {
		peer, err := answering(t, 200, "application/json", fmt.Sprintf(`{"name":"node-a","peer_token":%q}`, text)).Register(t.Context(), client.RegisterRequest{})
		require.NoError(t, err)
		return peer
	}
	minted, other := "EXAMPLE-"+long("z9", 10), "EXAMPLE-"+long("y8", 10)
	peer, equal, different := register(minted), register(minted), register(other)
	assert.Equal(t, peer, equal)
	var f failures
	assert.Equal(&f, peer, different)
	require.NotEmpty(t, f.text, "another token is another peer")
	assert.NotContains(t, f.text, minted)
	assert.NotContains(t, f.text, other)
}

func TestEveryFieldOfAPeerIsDecoded(t *testing.T) {
	t.Parallel()
	c := answering(t, 200, "application/json", `[{"name":"node-b","url":"http://b","capabilities":{"runtime":"go"},"enabled":false,
		"last_health":"health","last_seen":"seen","registered_at":"registered","peer_token":"example","new":[1]},{"name":"node-c"}]`)
	peers, err := c.ListPeers(t.Context())
	require.NoError(t, err)
	require.Len(t, peers, 2)
	require.NotNil(t, peers[0].PeerToken)
	assert.Equal(t, "example", peers[0].PeerToken.Reveal())
	assert.Equal(t, []any{
		"node-b", ptr("http://b"), map[string]any{"runtime": "go"}, false, ptr("health"), ptr("seen"), ptr("registered"),
		map[string]json.RawMessage{"new": json.RawMessage("[1]")},
	}, fieldsOfPeer(peers[0]))
	none := (*string)(nil)
	assert.Equal(t, []any{"node-c", none, map[string]any{}, true, none, none, none, map[string]json.RawMessage(nil)}, fieldsOfPeer(peers[1]), "the defaults")
	assert.Nil(t, peers[1].PeerToken)
}

// fieldsOfPeer lists the fields explicitly, so that a later field doesn't fail the test.
func fieldsOfPeer(p client.MeshPeer) []any {
	return []any{p.Name, p.URL, p.Capabilities, p.Enabled, p.LastHealth, p.LastSeen, p.RegisteredAt, p.AdditionalProperties}
}

// hostileCapabilities returns capabilities that must not make a response up to 2 MiB
// fail.
func hostileCapabilities() map[string]string {
	return map[string]string{
		"600,000 elements": `{"x":[` + long("0,", 600_000) + `0]}`,
		"a 3 MiB value":    `{"x":"` + long("x", 3<<20) + `"}`,
		"9,998 levels":     `{"x":` + long("[", 9_998) + long("]", 9_998) + `}`,
		"20,000 levels":    `{"x":` + long(`{"":`, 20_000) + `1` + long("}", 20_000) + `}`,
	}
}

func TestListPeersDropsOversizedCapabilities(t *testing.T) {
	t.Parallel()
	for name, capabilities := range hostileCapabilities() {
		for _, list := range []string{
			`{"peers":[{"name":"node-a","capabilities":{"a":[1,{"b":"}"}]}},{"name":"hog","capabilities":` + capabilities + `,"enabled":0,"new":1}],"n":2}`,
			`[{"capabilities":` + capabilities + `,"name":"hog"} , {"name":"node-a","capabilities" : {"a":[1,{"b":"}"}]} }]`,
		}[:whole.Cases(2, 1)] {
			var log bytes.Buffer
			c := inProcess(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(list)) },
				client.WithLogger(slog.New(slog.NewTextHandler(&log, nil))), client.WithMaxResponseBytes(2<<20), client.WithTimeout(time.Minute))
			peers, err := c.ListPeers(t.Context())
			require.NoError(t, err, name)
			require.Len(t, peers, 2)
			for _, p := range peers {
				if p.Name == "node-a" {
					assert.Equal(t, map[string]any{"a": []any{json.Number("1"), map[string]any{"b": "}"}}}, p.Capabilities)
					assert.Empty(t, p.AdditionalProperties)
					continue
				}
				assert.Equal(t, map[string]any{}, p.Capabilities)
				assert.JSONEq(t, "true", string(p.AdditionalProperties["capabilities_dropped"]), name)
			}
			assert.Contains(t, log.String(), `msg="dropped peer capabilities that are too large" count=1 peers=[hog]`)
		}
	}
}

// Many peers with large capabilities are as harmless as one.
func TestListPeersDropsCapabilitiesInTwoSteps(t *testing.T) {
	t.Parallel()
	row := func(size int) string {
		return `{"name":"node-b","capabilities":{"x":"` + long("x", size) + `"}},`
	}
	for _, test := range []struct {
		list, kept        string
		requests, dropped int
	}{
		{list: long(row(200), 2) + row(1), requests: 1},
		{list: long(row(70_000), 4) + row(1), requests: 2, dropped: 4},
		{list: long(row(7_000), 40) + row(1), requests: 2, dropped: 40},
		{list: row(70_000) + long(row(7_000), 40) + row(1), requests: 3, dropped: 41},
	} {
		requests := 0
		c := inProcess(t, func(w http.ResponseWriter, _ *http.Request) {
			requests++
			_, _ = w.Write([]byte(`[` + test.list + `{"name":"last"}]`))
		}, client.WithMaxResponseBytes(100_000), quiet())
		peers, err := c.ListPeers(t.Context())
		require.NoError(t, err)
		dropped := 0
		for _, p := range peers {
			if p.AdditionalProperties["capabilities_dropped"] != nil {
				dropped++
			}
		}
		assert.Equal(t, test.requests, requests)
		assert.Equal(t, test.dropped, dropped)
		assert.Equal(t, map[string]any{"x": "x"}, peers[len(peers)-2].Capabilities)
	}
}

func TestListPeersWithoutLargeCapabilitiesIsRequestedOnce(t *testing.T) {
	t.Parallel()
	requests := 0
	c := inProcess(t, func(w http.ResponseWriter, _ *http.Request) {
		requests++
		_, _ = w.Write([]byte(`[` + long(`{"name":"node-b","capabilities":{}},`, 100) + `{"name":"last"}]`))
	}, client.WithMaxResponseBytes(1000))
	_, err := c.ListPeers(t.Context())
	require.ErrorIs(t, err, client.ErrTooLarge)
	assert.Equal(t, 1, requests)
}

// Values that aren't dropped are read as the decoder reads them.
func FuzzListPeers(f *testing.F) {
	f.Add(`[{"name":"node-b","capabilities":{"a":"\\\"}"}}]`)
	f.Add(`{"n":[[{"capabilities":"x"}]],"peers":[{"capabilities":[],"name":"x"}]} x`)
	f.Add(`[{"name":"capabilities","url":"capabilities","x":{"capabilities":1}},{"capabilities":{"capabilities":{}}`)
	f.Fuzz(func(t *testing.T, body string) {
		var want generated.PeerList
		invalid := want.UnmarshalJSON([]byte(body))
		c := inProcess(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
		peers, err := c.ListPeers(t.Context())
		if len(bytes.Trim([]byte(body), " \t\r\n")) == 0 {
			require.NoError(t, err)
			return
		}
		require.Equal(t, invalid == nil, err == nil, "%v", err)
		if err == nil {
			require.Equal(t, want.Peers, peers)
		}
	})
}

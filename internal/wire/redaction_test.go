package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

func TestPeerTokenIsHidden(t *testing.T) {
	t.Parallel()
	token := strings.Join([]string{"example", "peer", "token"}, "-")
	p := peer(t, `{"name":"node-c","peer_token":"`+token+`"}`)
	require.Equal(t, token, p.PeerToken.Reveal())

	holder := struct{ peer, Peer gateway.MeshPeer }{p, p}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{p, &p, holder, &holder, []gateway.MeshPeer{p}, map[string]*gateway.MeshPeer{"k": &p}, gateway.PeerList{Peers: []gateway.MeshPeer{p}}} {
			printed := fmt.Sprintf(verb, value)
			assert.NotContains(t, printed, token, verb)
			assert.NotContains(t, printed, fmt.Sprintf("%x", token), verb)
		}
	}
	assert.Contains(t, fmt.Sprintf("%+v", p), "PeerToken:[REDACTED]")

	text, err := json.Marshal(gateway.PeerList{Peers: []gateway.MeshPeer{p}})
	require.NoError(t, err)
	assert.NotContains(t, string(text), token)
	assert.Contains(t, string(text), `"peer_token":"[REDACTED]"`)

	var log bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(handler).Info("a peer came", "peer", p, "pointer", &p, "token", p.PeerToken, "error", fmt.Errorf("peer %v", p))
	}
	assert.Equal(t, 2, strings.Count(log.String(), "a peer came"))
	assert.NotContains(t, log.String(), token)
}

func TestPeerTokenOfTheWrongTypeIsRejected(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`1`, `true`, `[]`, `{}`} {
		var p gateway.MeshPeer
		err := p.UnmarshalJSON([]byte(`{"name":"a","peer_token":` + text + `}`))
		assert.Equal(t, "value has the wrong type", refused(t, "peer_token", err), text)
	}
	assert.Nil(t, peer(t, `{"name":"a","peer_token":null}`).PeerToken)
}

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
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// Fields with a default that the gateway document gains later are printed, too, so we
// compare only parts.
func TestPrintedMessageShowsItsText(t *testing.T) {
	t.Parallel()
	m := message(t, messageWith(`"content":"build is \"red\"\n","related_task_id":42,"x_null":null,"x_number":3,"x_note":"private","x_refs":[1,2],"odd name":true`))
	for _, verb := range []string{"%v", "%+v", "%s"} {
		printed := fmt.Sprintf(verb, m)
		for _, part := range []string{
			`MeshMessage{`, `ID:1 `, `FromNode:"node-a" `, `Kind:"fyi" `, `Content:"build is \"red\"\n" `, `RelatedTaskID:"42" `,
			`"odd name":true x_note:string(9) x_null:null x_number:3 x_refs:array(5)}`,
		} {
			assert.Contains(t, printed, part, verb)
		}
		assert.NotContains(t, printed, "ThreadID", "nil")
		assert.Equal(t, printed, fmt.Sprintf(verb, &m), "a pointer prints the same")
	}
	var none *gateway.MeshMessage
	assert.Equal(t, "<nil>", fmt.Sprint(none))
	assert.Equal(t, `Health{}`, gateway.Health{}.String())
	assert.Equal(t, `[Health{Status:"ok"}]`, fmt.Sprint([]gateway.Health{{Status: ptr("ok")}}))
}

func TestPrintedContainersAndScalars(t *testing.T) {
	t.Parallel()
	var c containers
	require.NoError(t, c.UnmarshalJSON([]byte(`{"leaves":[{"id":1,"u":2}],"nullableItems":["a",null],"nullableValues":{"b":1,"a":null},"leafMap":{"k":{"id":2}}}`)))
	assert.Equal(t, `containers{NullableItems:["a" nil] NullableValues:{a:nil b:1} Leaves:[leaf{ID:1 u:2}] LeafMap:{k:leaf{ID:2}}}`, c.String())

	var s scalars
	require.NoError(t, s.UnmarshalJSON([]byte(`{"decimal":1.50,"enabled":0,"time":"2026-01-02T03:04:05Z","small":-1,"any":{"a":["x",1]}}`)))
	assert.Equal(t, `scalars{Small:-1 Time:2026-01-02 03:04:05 +0000 UTC Decimal:1.50 Any:{a:["x" 1]} Enabled:false Text:""}`, s.String())

	assert.Equal(t, `scalars{Small:0 Text:"" a:nil b:2}`, scalars{AdditionalProperties: map[string]*int64{"a": nil, "b": ptr(int64(2))}}.String())
	assert.Equal(t, `Error{Detail:string(4)}`, gateway.Error{Detail: json.RawMessage(`"no"`)}.String())
}

// A newer gateway may send a secret in a field that this version doesn't know.
func TestValuesOfUnknownFieldsAreHidden(t *testing.T) {
	t.Parallel()
	marker := strings.Join([]string{"hidden", "value"}, "-")
	for _, value := range []string{`"` + marker + `"`, `["` + marker + `"]`, `{"k":{"l":"` + marker + `"}}`, `{"` + marker + `":1}`} {
		list := gateway.PeerList{Peers: []gateway.MeshPeer{peer(t, `{"name":"a","session":`+value+`}`)}}
		list.AdditionalProperties = map[string]json.RawMessage{"token": json.RawMessage(value)}
		var log bytes.Buffer
		for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
			slog.New(h).Info("peers", "list", list, "pointer", &list, "one", list.Peers[0])
		}
		printed := fmt.Sprintf("%v %+v %s", list, &list, list.Peers[0]) + log.String()
		assert.NotContains(t, printed, marker)
		assert.Contains(t, printed, "session")
		assert.Contains(t, printed, "token")
	}
}

func TestLogValueHasOneAttributeForEachField(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "message", message(t, messageWith(`"x_null":null,"x_note":"x"`)))
	var line struct{ Message map[string]any }
	require.NoError(t, json.Unmarshal(log.Bytes(), &line))
	assert.Subset(t, line.Message, map[string]any{
		"id": 1.0, "from_node": "node-a", "to_node": "node-b", "kind": "fyi", "created_at": "2026-11-21T07:54:15+00:00",
		"x_null": "null", "x_note": "string(3)",
	})
	assert.NotContains(t, line.Message, "thread_id", "nil")
}

func TestAccessorsOfNilAreZero(t *testing.T) {
	t.Parallel()
	var none *gateway.MeshMessage
	assert.Empty(t, none.GetContent())
	assert.Empty(t, (&gateway.MeshMessage{}).GetContent())
	assert.Equal(t, "text", (&gateway.MeshMessage{Content: ptr("text")}).GetContent())
	assert.Empty(t, (*gateway.MeshPeer)(nil).GetPeerToken().Reveal())
	token := secret.New(strings.Repeat("t", 4))
	assert.Equal(t, "tttt", (&gateway.MeshPeer{PeerToken: &token}).GetPeerToken().Reveal())
}

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
		slog.New(handler).Info("a peer appeared", "peer", p, "pointer", &p, "token", p.PeerToken, "error", fmt.Errorf("peer %v", p))
	}
	assert.Equal(t, 2, strings.Count(log.String(), "a peer appeared"))
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

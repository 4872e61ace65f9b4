package wire_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

func ptr[T any](v T) *T { return &v }

func TestEncodedValuesDecodeToTheSame(t *testing.T) {
	t.Parallel()
	m := gateway.MeshMessage{
		ID: 9007199254740993, FromNode: "node-a", ToNode: "node-b", Kind: gateway.KindAnswer, CreatedAt: "now",
		Content: ptr("\"<é>\" 😀\n\x00\u2028"), ReadAt: ptr(""), RelatedTaskID: ptr("9007199254740993"),
		AdditionalProperties: map[string]json.RawMessage{"x_channel": json.RawMessage(`{"a":[1.50,null]}`), "é\n": json.RawMessage(`1e400`)},
	}
	p := gateway.MeshPeer{
		Name: "node-a", URL: ptr("http://a"), Enabled: false, LastSeen: ptr("now"),
		Capabilities: map[string]any{"n": json.Number("9007199254740993"), "list": []any{"x", nil, true}},
	}
	text, err := json.Marshal(map[string]any{"m": m, "p": p, "list": gateway.MessageList{Messages: []gateway.MeshMessage{m, m}, N: ptr(int64(2))}})
	require.NoError(t, err)
	var got struct {
		M    gateway.MeshMessage
		P    *gateway.MeshPeer
		List gateway.MessageList
	}
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Equal(t, m, got.M)
	assert.Equal(t, p, *got.P)
	assert.Equal(t, gateway.MessageList{Messages: []gateway.MeshMessage{m, m}, N: ptr(int64(2))}, got.List)
}

// These types gain fields when the gateway does, so we compare only some.
func TestNilOfTypesWithUnknownFields(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(gateway.MeshMessage{})
	require.NoError(t, err)
	assertHolds(t, `{"content":null,"created_at":"","id":0,"kind":"","read_at":null}`, string(text))
	text, err = json.Marshal(gateway.MeshPeer{})
	require.NoError(t, err)
	assertHolds(t, `{"enabled":false,"last_health":null,"name":"","peer_token":null}`, string(text))
	assert.NotContains(t, string(text), "capabilities", "a nil map is left out")
	text, err = json.Marshal(gateway.MeshPeer{Capabilities: map[string]any{}})
	require.NoError(t, err)
	assertHolds(t, `{"capabilities":{}}`, string(text))
}

func TestNilFields(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"a required list is never null":            {gateway.PeerList{}, `{"peers":[]}`},
		"a field that is not nullable is left out": {gateway.MessageList{}, `{"messages":[]}`},
		"nothing at all":                           {gateway.Error{}, `{}`},
		"additional fields only":                   {gateway.Health{AdditionalProperties: map[string]json.RawMessage{"b": json.RawMessage(`2`), "a": json.RawMessage(`1`)}}, `{"a":1,"b":2}`},
		"a raw field":                              {gateway.Error{Detail: json.RawMessage(`["x"]`)}, `{"detail":["x"]}`},
		"required fields inside":                   {gateway.ValidationIssue{}, `{"type":"","loc":[],"msg":""}`},
	} {
		for range 5 { // map order is random, member order must not be
			text, err := json.Marshal(c.value)
			require.NoError(t, err, name)
			assert.Equal(t, c.want, string(text), name)
		}
	}
}

// A field that gets a type in a later version must not appear twice.
func TestTypedFieldReplacesAnUnknownOneOfTheSameName(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(gateway.MessageList{AdditionalProperties: map[string]json.RawMessage{
		"messages": json.RawMessage(`"no"`), "other": json.RawMessage(`1`),
	}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"messages":[],"other":1}`, string(text))
	assert.Equal(t, 1, strings.Count(string(text), `"messages"`))

	// an omitted typed field replaces nothing
	text, err = json.Marshal(gateway.Health{AdditionalProperties: map[string]json.RawMessage{"status": json.RawMessage(`"ok"`)}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"status":"ok"}`, string(text))
}

func TestInvalidRawValuesAreNotEncoded(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{``, `x`, `{`, `1 2`, `"`} {
		_, err := gateway.Health{AdditionalProperties: map[string]json.RawMessage{"extra": json.RawMessage(bad)}}.MarshalJSON()
		require.EqualError(t, err, "(unknown field): value cannot be written as JSON", bad)
	}
	_, err := gateway.MeshPeer{Capabilities: map[string]any{"n": math.NaN()}}.MarshalJSON()
	require.EqualError(t, err, "capabilities: value cannot be written as JSON")
	_, err = gateway.Error{Detail: json.RawMessage(`{`)}.MarshalJSON()
	require.EqualError(t, err, "detail: value cannot be written as JSON")
}

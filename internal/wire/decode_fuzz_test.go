package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// The decoder and the reference agree, for any input, on whether it is a list, on its
// rows and on their unknown fields. Any decoded value can be encoded, and then decodes to
// the same value again.
func FuzzListDecoder(f *testing.F) {
	names, err := filepath.Glob("../test/contract/testdata/gateway/*.json")
	require.NoError(f, err)
	require.NotEmpty(f, names)
	for _, name := range names {
		f.Add(recorded(f, strings.TrimSuffix(filepath.Base(name), ".json")))
	}
	for _, text := range []string{
		``, `null`, `{}`, `[]`, `[] [1,`, `[` + row + `]`, `{"messages":null}`, `{"peers":{}}`, `{"peers":[],"peers":[{"name":"a"}]}`,
		`[{"name":"a","enabled":0,"capabilities":{"n":1e5},"peer_token":"t","Name":"b","name":"c"}]`,
		`{"n":9007199254740993,"N":1,"messages":[` + messageWith(`"related_task_id":1.0,"id":-0`) + `]}`,
		messageWith("\"\xff\xfe\":\"\\ud800\\ud800\\udc00\""), `[{"name":"\ud800\udc00","\u0000":"<\u2028>"}]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkMessages(t, data)
		checkPeers(t, data)
	})
}

func checkMessages(t *testing.T, data []byte) {
	t.Helper()
	input := bytes.Clone(data)
	var got gateway.MessageList
	err := got.UnmarshalJSON(input)
	others := map[string]check{"n": anyOf(isNull, isInt64)}
	want, refErr := referenceList(data, "messages", messageContract, others)
	require.Equal(t, refErr == nil, err == nil, "decoder: %v, reference: %v", err, refErr)
	require.Equal(t, err == nil, json.Unmarshal(data, new(gateway.MessageList)) == nil)
	if err != nil {
		return
	}
	clear(input) // the decoded value must not share the input's memory
	require.NotNil(t, got.Messages)
	list := refList{unknown: unknownOf(got.AdditionalProperties, others)}
	for _, m := range got.Messages {
		list.rows = append(list.rows, refRow{id: m.ID, kind: string(m.Kind), unknown: unknownOf(m.AdditionalProperties, messageContract.fields)})
	}
	requireSameList(t, want, list)

	var again gateway.MessageList
	first := rewrite(t, got, &again)
	for i := range got.Messages {
		withoutDuplicates(got.Messages[i].AdditionalProperties, messageContract.fields)
		asWritten(t, got.Messages[i].AdditionalProperties)
	}
	withoutDuplicates(got.AdditionalProperties, others)
	require.Equal(t, first, rewrite(t, again, new(gateway.MessageList)))
	for i := range again.Messages {
		withoutDuplicates(again.Messages[i].AdditionalProperties, messageContract.fields)
	}
	withoutDuplicates(again.AdditionalProperties, others)
	requireSame(t, got, again)
}

func checkPeers(t *testing.T, data []byte) {
	t.Helper()
	input := bytes.Clone(data)
	var got gateway.PeerList
	err := got.UnmarshalJSON(input)
	want, refErr := referenceList(data, "peers", peerContract, nil)
	require.Equal(t, refErr == nil, err == nil, "decoder: %v, reference: %v", err, refErr)
	require.Equal(t, err == nil, json.Unmarshal(data, new(gateway.PeerList)) == nil)
	if err != nil {
		return
	}
	clear(input)
	require.NotNil(t, got.Peers)
	list := refList{unknown: unknownOf(got.AdditionalProperties, nil)}
	for _, p := range got.Peers {
		require.NotNil(t, p.Capabilities)
		list.rows = append(list.rows, refRow{name: p.Name, unknown: unknownOf(p.AdditionalProperties, peerContract.fields)})
	}
	requireSameList(t, want, list)

	var again gateway.PeerList
	first := rewrite(t, got, &again)
	for i := range got.Peers { // the token is redacted by design
		require.Equal(t, got.Peers[i].PeerToken == nil, again.Peers[i].PeerToken == nil)
		got.Peers[i].PeerToken = again.Peers[i].PeerToken
		withoutDuplicates(got.Peers[i].AdditionalProperties, peerContract.fields)
		asWritten(t, got.Peers[i].AdditionalProperties)
	}
	require.Equal(t, first, rewrite(t, again, new(gateway.PeerList)))
	for i := range again.Peers {
		withoutDuplicates(again.Peers[i].AdditionalProperties, peerContract.fields)
	}
	requireSame(t, got, again)
}

// rewrite encodes a list, decodes the text into the same type, and returns it.
func rewrite(t *testing.T, list json.Marshaler, into json.Unmarshaler) string {
	t.Helper()
	text, err := list.MarshalJSON()
	require.NoError(t, err)
	require.True(t, json.Valid(text), "%s", text)
	require.NoError(t, into.UnmarshalJSON(text), "%s", text)
	return string(text)
}

// asWritten formats raw values as in an encoded list: without white space, and with HTML
// characters escaped.
func asWritten(t *testing.T, fields map[string]json.RawMessage) {
	t.Helper()
	for name, raw := range fields {
		var compact, escaped bytes.Buffer
		require.NoError(t, json.Compact(&compact, raw))
		json.HTMLEscape(&escaped, compact.Bytes())
		fields[name] = escaped.Bytes()
	}
}

func requireSameList(t *testing.T, want, got refList) {
	t.Helper()
	require.Len(t, got.rows, len(want.rows))
	for i := range want.rows {
		require.True(t, sameRow(want.rows[i], got.rows[i]), "want %q\ngot  %q", want.rows[i], got.rows[i])
	}
	require.True(t, slices.Equal(want.unknown, got.unknown), "want %q\ngot  %q", want.unknown, got.unknown)
}

func sameRow(a, b refRow) bool {
	return reflect.DeepEqual([]any{a.id, a.kind, a.name}, []any{b.id, b.kind, b.name}) && slices.Equal(a.unknown, b.unknown)
}

// withoutDuplicates removes nulls that unknown keeps for known fields. If a field occurs
// twice, it may also have a value.
func withoutDuplicates(unknown map[string]json.RawMessage, known map[string]check) {
	maps.DeleteFunc(unknown, func(name string, _ json.RawMessage) bool { return known[name] != nil })
}

// requireSame compares printed values, because a nil map equals an empty one there.
func requireSame(t *testing.T, want, got fmt.Stringer) {
	t.Helper()
	require.Equal(t, want.String(), got.String())
}

package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

func TestUnknownFieldsKeepTheirBytes(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`null`, `true`, `9007199254740993`, `1.50`, `1e400`, `-0`, `""`, `"\u0041\/<>&"`, `[]`, `[ 1 , 2 ]`, `{"b": 1, "a":2,"a":3}`,
	} {
		m := message(t, messageWith(`"extra": `+raw+" \n"))
		assert.Equal(t, map[string]json.RawMessage{"extra": json.RawMessage(raw)}, m.AdditionalProperties)
	}
}

func TestNamesOfUnknownFields(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		`""`:               "",
		`"a b"`:            "a b",
		`"\u0061\n\""`:     "a\n\"",
		`"\ud83d\ude00"`:   "😀",
		`"é"`:              "é",
		`"ID"`:             "ID", // names are case-sensitive, so one field can't overwrite another
		`"Id"`:             "Id",
		`"From_Node"`:      "From_Node",
		`"from_nod\u00e9"`: "from_nodé",
		"\"\xff\"":         "\uFFFD",
		`"\ud800"`:         "\uFFFD",
		`"\ud800x"`:        "\uFFFDx",
	} {
		m := message(t, messageWith(key+`:7`))
		assert.Equal(t, []string{want}, slices.Collect(maps.Keys(m.AdditionalProperties)), key)
		assert.Equal(t, int64(1), m.ID)
	}
}

func TestEscapedNamesOfKnownFields(t *testing.T) {
	t.Parallel()
	m := message(t, strings.NewReplacer(`"id"`, `"\u0069\u0064"`, `"kind"`, `"k\u0069nd"`).Replace(row))
	assert.Equal(t, message(t, row), m)
}

func TestLastDuplicateIsKept(t *testing.T) {
	t.Parallel()
	m := message(t, messageWith(`"id":2,"x":1,"id":3,"x":[2],"thread_id":"a","thread_id":null`))
	assert.Equal(t, int64(3), m.ID)
	assert.Nil(t, m.ThreadID)
	assert.Equal(t, map[string]json.RawMessage{"x": json.RawMessage(`[2]`)}, m.AdditionalProperties)

	// The second map replaces the first; encoding/json would merge them.
	p := peer(t, `{"name":"a","capabilities":{"a":1},"capabilities":{"b":2}}`)
	assert.Equal(t, map[string]any{"b": json.Number("2")}, p.Capabilities)

	var list gateway.PeerList
	require.NoError(t, list.UnmarshalJSON([]byte(`{"peers":[{"name":"a"},{"name":"b"}],"peers":[{"name":"c"}]}`)))
	require.Len(t, list.Peers, 1)
	assert.Equal(t, "c", list.Peers[0].Name)

	// each duplicate must be valid
	assert.Equal(t, "null where a value is required", refused(t, "peers", list.UnmarshalJSON([]byte(`{"peers":null,"peers":[]}`))))
}

// bigRow has small, large and many unknown fields, because these are stored in different
// ways.
func bigRow(id int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":%d,"from_node":"node-a","to_node":"node-b","kind":"fyi","created_at":"now","content":"text %d",`, id, id)
	b.WriteString(`"related_task_id":9007199254740993,"thread_id":"\u0041","key \u0042":"escaped",`)
	for i := range 40 {
		fmt.Fprintf(&b, `"small%d":"%d of %d",`, i, i, id)
	}
	fmt.Fprintf(&b, `"medium":"%s","large":"%s","huge":"%s"}`,
		strings.Repeat("m", 254), strings.Repeat("l", 255), strings.Repeat("h", 5000))
	return b.String()
}

// The caller may reuse its buffer, and one row must not keep the whole body in memory.
func TestResultsDoNotReferToTheInput(t *testing.T) {
	t.Parallel()
	text := `{"messages":[` + bigRow(1) + `,` + bigRow(2) + `],"more":{"a":[1]}}`
	var want, got gateway.MessageList
	require.NoError(t, want.UnmarshalJSON([]byte(text)))
	input := []byte(text)
	require.NoError(t, got.UnmarshalJSON(input))
	copy(input, bytes.Repeat([]byte{'#'}, len(input)))
	assert.Equal(t, want, got)
	assert.Equal(t, `"39 of 2"`, string(got.Messages[1].AdditionalProperties["small39"]))

	const token = "example-token-of-the-tests"
	input = []byte(`{"name":"node-c","peer_token":"` + token + `","capabilities":{"k":"v","n":12}}`)
	var p gateway.MeshPeer
	require.NoError(t, p.UnmarshalJSON(input))
	copy(input, bytes.Repeat([]byte{'#'}, len(input)))
	assert.Equal(t, "node-c", p.Name)
	assert.Equal(t, token, p.PeerToken.Reveal())
	assert.Equal(t, map[string]any{"k": "v", "n": json.Number("12")}, p.Capabilities)
}

func TestUnknownFieldsBesideTheList(t *testing.T) {
	t.Parallel()
	var list gateway.PeerList
	require.NoError(t, list.UnmarshalJSON([]byte(`{"next":"c1","peers":[{"name":"a","next":2}],"total":1}`)))
	assert.Equal(t, map[string]json.RawMessage{"next": json.RawMessage(`"c1"`), "total": json.RawMessage(`1`)}, list.AdditionalProperties)
	assert.Equal(t, map[string]json.RawMessage{"next": json.RawMessage(`2`)}, list.Peers[0].AdditionalProperties)
}

// Unknown fields aren't decoded, but must be valid JSON.
func TestInvalidUnknownFieldsAreRejected(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`tru`, `01`, `1.`, `1e`, `'a'`, `"\x41"`, `"\u12g4"`, "\"\n\"", `[1,]`, `[1 2]`, `{"a"}`, `{"a":}`, `{a:1}`, `{"a":1,}`, `[}`, `undefined`, ``} {
		var m gateway.MeshMessage
		text := []byte(messageWith(`"extra":` + raw))
		require.False(t, json.Valid(text), "the case itself is valid: %s", text)
		refused(t, "(unknown field)", m.UnmarshalJSON(text))
	}
}

// without returns a minimal message with one member removed or null.
func without(t *testing.T, field string, null bool) string {
	t.Helper()
	var members map[string]any
	require.NoError(t, json.Unmarshal([]byte(row), &members))
	require.Contains(t, members, field)
	delete(members, field)
	if null {
		members[field] = nil
	}
	text, err := json.Marshal(members)
	require.NoError(t, err)
	return string(text)
}

func TestRequiredFieldsOfAMessageAreNamed(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"id", "from_node", "to_node", "kind", "created_at"} {
		for null, reason := range map[bool]string{false: "required field is missing", true: "null where a value is required"} {
			t.Run(fmt.Sprintf("%s null=%v", field, null), func(t *testing.T) {
				t.Parallel()
				bad := without(t, field, null)

				var m gateway.MeshMessage
				assert.Equal(t, reason, refused(t, field, m.UnmarshalJSON([]byte(bad))))

				rows := `[` + row + `,` + row + `,` + row + `,` + bad + `]`
				var list gateway.MessageList
				assert.Equal(t, reason, refused(t, "messages[3]."+field, list.UnmarshalJSON([]byte(`{"messages":`+rows+`}`))))
				assert.Equal(t, reason, refused(t, "[3]."+field, list.UnmarshalJSON([]byte(rows))))
			})
		}
	}
}

func TestPeerNameIsRequired(t *testing.T) {
	t.Parallel()
	var list gateway.PeerList
	err := list.UnmarshalJSON([]byte(`{"peers":[{"name":"a"},{"url":"http://b"}]}`))
	require.EqualError(t, err, "peers[1].name: required field is missing")
	err = list.UnmarshalJSON([]byte(`[{"name":null}]`))
	assert.EqualError(t, err, "[0].name: null where a value is required")
}

// An empty string is a value. "required" doesn't forbid it.
func TestEmptyStringIsNotAMissingField(t *testing.T) {
	t.Parallel()
	assert.Empty(t, peer(t, `{"name":""}`).Name)
}

// The first missing field in the type's order is named, so that the error is always the
// same.
func TestMissingFieldErrorIsDeterministic(t *testing.T) {
	t.Parallel()
	for range 20 {
		var m gateway.MeshMessage
		assert.Equal(t, "required field is missing", refused(t, "id", m.UnmarshalJSON([]byte(`{}`))))
	}
}

// The wrong value comes first in the document, so it's reported before the missing field.
func TestWrongValueIsReportedBeforeAMissingField(t *testing.T) {
	t.Parallel()
	var m gateway.MeshMessage
	assert.Equal(t, "got number, want string", refused(t, "kind", m.UnmarshalJSON([]byte(`{"kind":1}`))))
}

func TestRequiredFieldsInsideAnErrorBody(t *testing.T) {
	t.Parallel()
	var issue gateway.ValidationIssue
	require.NoError(t, issue.UnmarshalJSON([]byte(`{"type":"missing","loc":["body",0,null],"msg":"Field required"}`)))
	assert.Equal(t, []json.RawMessage{json.RawMessage(`"body"`), json.RawMessage(`0`), json.RawMessage(`null`)}, issue.Loc)
	assert.Equal(t, "required field is missing", refused(t, "loc", issue.UnmarshalJSON([]byte(`{"type":"t","msg":"m"}`))))
	assert.Equal(t, "unexpected byte 125 '}' at 10", refused(t, "loc[1]", issue.UnmarshalJSON([]byte(`{"loc":[1,}`))))
}

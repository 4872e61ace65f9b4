package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// Invalid bytes become U+FFFD one by one, as in encoding/json.
func TestInvalidUTF8IsReplacedAsInEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"\xff", "\xff\xfe", "a\xffb", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xf8\x88\x80\x80\x80", "é\x80\x80é",
		`\ud800`, `\udc00`, `\ud800x`, `\ud800\n`, `\ud800\u0041`, `\udc00\ud800`, "\\ud800\xff",
	} {
		var want string
		require.NoError(t, json.Unmarshal([]byte(`"`+bad+`"`), &want))
		m := message(t, messageWith(`"content":"`+bad+`","related_task_id":"`+bad+`","`+bad+`":1`))
		assert.Equal(t, want, *m.Content, "%q", bad)
		assert.Equal(t, want, *m.RelatedTaskID, "%q", bad)
		assert.Contains(t, m.AdditionalProperties, want, "%q", bad)
	}
}

// A raw value is kept byte for byte, invalid UTF-8 included.
func TestInvalidUTF8InARawValueIsLeftAlone(t *testing.T) {
	t.Parallel()
	m := message(t, messageWith("\"extra\":\"\xff\xfe\""))
	assert.Equal(t, "\"\xff\xfe\"", string(m.AdditionalProperties["extra"]))
}

func TestControlCharactersInStringsAreRejected(t *testing.T) {
	t.Parallel()
	for c := range byte(0x20) {
		var m gateway.MeshMessage
		require.Error(t, m.UnmarshalJSON([]byte(messageWith(`"content":"a`+string(c)+`"`))), "0x%02x", c)
		require.Error(t, m.UnmarshalJSON([]byte(messageWith(`"content":"\na`+string(c)+`"`))), "0x%02x after an escape", c)
		require.Error(t, m.UnmarshalJSON([]byte(messageWith(`"a`+string(c)+`":1`))), "0x%02x in a name", c)
	}
	assert.Equal(t, "\x7f", *message(t, messageWith("\"content\":\"\x7f\"")).Content)
}

// A body of brackets must not overflow the stack, and its error must stay short: jx adds a word for every level.
func TestDeepNestingIsAnErrorNotACrash(t *testing.T) {
	t.Parallel()
	const deep = 100_000
	open, shut := strings.Repeat("[", deep), strings.Repeat("]", deep)
	objects := strings.Repeat(`{"a":`, deep)
	for name, text := range map[string]string{
		"the document":         open + shut,
		"unknown field":        messageWith(`"extra":` + open + shut),
		"unknown field, cut":   messageWith(`"extra":` + open),
		"unknown objects, cut": messageWith(`"extra":` + objects),
		"in a list":            `{"messages":[` + messageWith(`"extra":`+open+shut) + `]}`,
		"after the list":       `[]` + open,
		"beside the list":      `{"x":` + open + shut + `,"messages":[]}`,
		"list":                 `{"messages":` + open + shut + `}`,
	} {
		var list gateway.MessageList
		err := list.UnmarshalJSON([]byte(text))
		require.Error(t, err, name)
		assert.Less(t, len(err.Error()), 200, name)
	}
	var p gateway.MeshPeer
	for _, field := range []string{"capabilities", "peer_token", "url"} {
		err := p.UnmarshalJSON([]byte(`{"name":"a","` + field + `":` + open + shut + `}`))
		require.Error(t, err, field)
		assert.Less(t, len(err.Error()), 200, field)
	}
}

func TestNestingThatEncodingJSONAcceptsIsAccepted(t *testing.T) {
	t.Parallel()
	const deep = 5000
	nested := strings.Repeat("[", deep) + strings.Repeat("]", deep)
	m := message(t, messageWith(`"extra":`+nested))
	assert.Equal(t, nested, string(m.AdditionalProperties["extra"]))
}

// A value may be a secret, and errors go into logs. The marker replaces a value in every position where it is wrong.
func TestErrorsNeverQuoteAValue(t *testing.T) {
	t.Parallel()
	marker := strings.Join([]string{"marker", "7331733173317331"}, "")
	const digits = "7331733173317331"
	wrong := []string{
		`"` + marker + `"`, `["` + marker + `"]`, `{"k":"` + marker + `"}`, `{"` + marker + `":1}`, `[[` + digits + `]]`,
		digits + digits, digits + `.5`, `-` + digits + `e5`, `"` + marker, `"` + marker + `\q"`, `"` + marker + "\n\"",
		marker, `'` + marker + `'`, `["` + marker, `{"k":"` + marker, `{"` + marker, `"` + marker + `"x`, `tru` + marker,
		`nul` + marker, digits + `x`,
	}
	fields := []string{
		"id", "from_node", "to_node", "kind", "created_at", "content", "read_at", "related_task_id", "thread_id", "extra",
		"name", "url", "enabled", "capabilities", "last_health", "last_seen", "peer_token", "registered_at", "messages",
		"peers", "n", "detail",
	}
	refusals := 0
	check := func(text string) {
		for _, into := range []json.Unmarshaler{
			&gateway.MeshMessage{}, &gateway.MeshPeer{}, &gateway.MessageList{}, &gateway.PeerList{}, &gateway.Error{},
		} {
			if err := into.UnmarshalJSON([]byte(text)); err != nil {
				refusals++
				for _, printed := range []string{err.Error(), fmt.Sprintf("%+v", err)} {
					require.NotContains(t, printed, marker, text)
					require.NotContains(t, printed, digits, text)
				}
			}
		}
	}
	for _, value := range wrong {
		check(value)
		check(`[] ` + value)
		check(`[` + value + `]`)
		check(`{` + value + `:1}`)
		for _, field := range fields {
			member := `"` + field + `":` + value
			check(messageWith(member))
			check(`{"name":"a",` + member + `}`)
			check(`{"messages":[` + row + `,` + messageWith(member) + `],"peers":[{"name":"a",` + member + `}]}`)
			check(`{"messages":[],"peers":[],` + member + `}`)
		}
	}
	require.Greater(t, refusals, 4000, "most of these documents are wrong for most types")
}

// A field name comes from outside too: {"<key>":tru} must not show the key.
func TestErrorsNameOnlyFieldsOfTheDocument(t *testing.T) {
	t.Parallel()
	var m gateway.MeshMessage
	for _, key := range []string{`a b\n\u0000"\u001b[31m`, `é😀`, "\xff", strings.Repeat("x", 1000), "ID", "Kind"} {
		quoted := strings.ReplaceAll(key, `"`, `\"`)
		refused(t, "(unknown field)", m.UnmarshalJSON([]byte(messageWith(`"`+quoted+`":x`))))
	}
	var list gateway.MessageList
	refused(t, "messages[0].(unknown field)", list.UnmarshalJSON([]byte(`{"messages":[`+messageWith(`"x":tru`)+`]}`)))
	refused(t, "messages[0].id", list.UnmarshalJSON([]byte(`{"messages":[`+messageWith(`"\u0069d":tru`)+`]}`)))
	var p gateway.MeshPeer
	refused(t, "capabilities.*", p.UnmarshalJSON([]byte(`{"name":"a","capabilities":{"k":tru}}`)))
	_, err := gateway.Health{AdditionalProperties: map[string]json.RawMessage{"k": json.RawMessage("x")}}.MarshalJSON()
	refused(t, "(unknown field)", err)
}

package wire_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/wire"
)

func TestListsAreDecodedInBothShapes(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"object":            `{"messages":[` + row + `,` + row + `],"n":2}`,
		"bare array":        `[` + row + `,` + row + `]`,
		"white space":       " \r\n\t[ " + row + " , " + row + " ]\n",
		"unknown key first": `{"zzz":[1,{"messages":null}],"messages":[` + row + `,` + row + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list gateway.MessageList
			require.NoError(t, list.UnmarshalJSON([]byte(text)))
			require.Len(t, list.Messages, 2)
			assert.Equal(t, message(t, row), list.Messages[1])
		})
	}
}

func TestEmptyListsAreEmptyAndNotNil(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`[]`, `{"peers":[]}`, " [ ] "} {
		var list gateway.PeerList
		require.NoError(t, list.UnmarshalJSON([]byte(text)), text)
		assert.Equal(t, []gateway.MeshPeer{}, list.Peers, text)
	}
}

// Any other document must not look like an empty list.
func TestOtherDocumentsAreNotLists(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, path, reason string }{
		{`null`, "", "null where a value is required"},
		{`{}`, "peers", "required field is missing"},
		{`{"Peers":[]}`, "peers", "required field is missing"},
		{`{"messages":[]}`, "peers", "required field is missing"},
		{`{"peers":null}`, "peers", "null where a value is required"},
		{`{"peers":{}}`, "peers", "got object, want array"},
		{`{"peers":"none"}`, "peers", "got string, want array"},
		{`{"peers":false}`, "peers", "got bool, want array"},
		{`{"peers":0}`, "peers", "got number, want array"},
		{`"none"`, "", "got string, want object"},
		{`7`, "", "got number, want object"},
		{`true`, "", "got bool, want object"},
		{`[null]`, "[0]", "null where a value is required"},
		{`[[]]`, "[0]", "got array, want object"},
		{`{"peers":[{"name":"a"},7]}`, "peers[1]", "got number, want object"},
		{``, "", "unexpected EOF"},
		{"  \n", "", "unexpected EOF"},
		{`<html>`, "", "unexpected byte 60 '<' at 0"},
		{`[,]`, "[0]", "unexpected byte 44 ',' at 1"},
	} {
		var list gateway.PeerList
		assert.Equal(t, c.reason, refused(t, c.path, list.UnmarshalJSON([]byte(c.text))), c.text)
	}
}

func TestTruncatedDocumentsAreRejected(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"inbox", "inbox_empty"} {
		whole := recorded(t, name)
		for n := range whole {
			var list gateway.MessageList
			err := list.UnmarshalJSON(whole[:n])
			require.Error(t, err, "cut at %d", n)
			// a caller might take io.EOF for a complete document
			require.NotErrorIs(t, err, io.EOF, "cut at %d", n)
		}
	}
}

func TestTruncatedBareArrayIsUnexpectedEOF(t *testing.T) {
	t.Parallel()
	var list gateway.MessageList
	err := list.UnmarshalJSON([]byte(`[` + row + `,` + row))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.NotErrorIs(t, err, io.EOF)
}

func TestNothingMayFollowTheDocument(t *testing.T) {
	t.Parallel()
	// The truncated ones matter, because the lexer returns io.EOF for them, too.
	for _, rest := range []string{
		`x`, `,`, `]`, `}`, `1`, `null`, `[]`, `{}`, `""`, "\x00", "\v", `//`,
		`-`, `1.`, `1e`, `t`, `n`, `"`, `"\`, `"\u12`, `[`, `[1,`, `[1, `, `[[1,`, `{`, `{"a"`, `{"a":`, `{"a":1,`, `{"a":[`,
	} {
		for _, text := range []string{`[]` + rest, `[` + row + `] ` + rest, `{"messages":[]}` + "\n" + rest} {
			require.False(t, json.Valid([]byte(text)), "the case itself is valid: %s", text)
			var list gateway.MessageList
			assert.Equal(t, "more data after the JSON document", refused(t, "", list.UnmarshalJSON([]byte(text))), "%q", text)
		}
	}
}

func TestUnmarshalReplacesTheOldValue(t *testing.T) {
	t.Parallel()
	p := peer(t, `{"name":"old","url":"http://old","enabled":0,"capabilities":{"a":1},"extra":1}`)
	require.NoError(t, p.UnmarshalJSON([]byte(`{"name":"new"}`)))
	assert.Equal(t, peer(t, `{"name":"new"}`), p)

	list := gateway.PeerList{Peers: []gateway.MeshPeer{{Name: "old"}}}
	require.NoError(t, list.UnmarshalJSON([]byte(`[]`)))
	assert.Empty(t, list.Peers)
}

// Each invalid byte becomes U+FFFD, as in encoding/json.
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

// Brackets must not overflow the stack, and the error must stay short.
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
		"next to the list":     `{"x":` + open + shut + `,"messages":[]}`,
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

// Otherwise a 32 MiB document could hold 16 million elements, which take more than a
// gigabyte.
func TestElementsOfADocumentAreBounded(t *testing.T) {
	t.Parallel()
	const most = 500_000
	list := func(n int) []byte { return []byte("[" + strings.Repeat("0,", n-1) + "0]") }
	entries := func(n int) []byte { return []byte(`{"b":[` + strings.Repeat(`{"a":0},`, n-1) + `{"a":0}]}`) }
	decodeAny := func(text []byte) error {
		_, err := wire.Decode[any](string(text))
		return err
	}
	require.NoError(t, decodeAny(list(most)))
	require.ErrorContains(t, decodeAny(list(most+1)), "more than 500000 array elements and map entries")
	require.NoError(t, decodeAny(entries(most/2-1)))
	require.ErrorContains(t, decodeAny(entries(most/2)), "more than 500000")
	require.NoError(t, decodeAny(list(most)), "each document starts a new count")
}

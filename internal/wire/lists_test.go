package wire_test

import (
	"encoding/json"
	"io"
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

// Another document must not look like an empty list.
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

// A document that is truncated anywhere is an error.
func TestTruncatedDocumentsAreRejected(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"inbox", "inbox_empty"} {
		whole := recorded(t, name)
		for n := range whole {
			var list gateway.MessageList
			err := list.UnmarshalJSON(whole[:n])
			require.Error(t, err, "cut at %d", n)
			// A caller may take io.EOF for a complete document.
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
	// The truncated ones matter: for them the lexer returns io.EOF as well.
	for _, rest := range []string{
		`x`, `,`, `]`, `}`, `1`, `null`, `[]`, `{}`, `""`, "\x00", "\v", `//`,
		`-`, `1.`, `1e`, `t`, `n`, `"`, `"\`, `"\u12`, `[`, `[1,`, `[1, `, `[[1,`, `{`, `{"a"`, `{"a":`, `{"a":1,`, `{"a":[`,
	} {
		for _, text := range []string{`[]` + rest, `[` + row + `] ` + rest, `{"messages":[]}` + "\n" + rest} {
			require.False(t, json.Valid([]byte(text)), "the case itself: %s", text)
			var list gateway.MessageList
			assert.Equal(t, "more data after the JSON document", refused(t, "", list.UnmarshalJSON([]byte(text))), "%q", text)
		}
	}
}

func TestErrorsOfJSONUnmarshalKeepThePath(t *testing.T) {
	t.Parallel()
	var list gateway.MessageList
	err := json.Unmarshal([]byte(`{"messages":[`+row+`,{"id":true}]}`), &list)
	assert.Equal(t, "got bool, want number", refused(t, "messages[1].id", err))
	require.EqualError(t, err, "messages[1].id: got bool, want number")
	var e *wire.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, e.Err, e.Unwrap())
}

// UnmarshalJSON must not keep parts of the previous value.
func TestUnmarshalReplacesTheOldValue(t *testing.T) {
	t.Parallel()
	p := peer(t, `{"name":"old","url":"http://old","enabled":0,"capabilities":{"a":1},"extra":1}`)
	require.NoError(t, p.UnmarshalJSON([]byte(`{"name":"new"}`)))
	assert.Equal(t, peer(t, `{"name":"new"}`), p)

	list := gateway.PeerList{Peers: []gateway.MeshPeer{{Name: "old"}}}
	require.NoError(t, list.UnmarshalJSON([]byte(`[]`)))
	assert.Empty(t, list.Peers)
}

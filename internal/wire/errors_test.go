package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/wire"
)

// A value may be a secret, and errors go into logs. The marker is tried wherever a value
// can be wrong.
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
	require.Greater(t, refusals, 4000, "most of these documents are invalid for most types")
}

// Field names are untrusted, too: an error about {"<key>":tru} must not show the key.
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

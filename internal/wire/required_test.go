package wire_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// without returns the smallest message with one member removed or null.
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

// An empty string is a value; whether it is allowed is not a matter of required.
func TestEmptyStringIsNotAMissingField(t *testing.T) {
	t.Parallel()
	assert.Empty(t, peer(t, `{"name":""}`).Name)
}

// Of several missing fields the first in the order of the type is named, so the error is always the same.
func TestMissingFieldErrorIsDeterministic(t *testing.T) {
	t.Parallel()
	for range 20 {
		var m gateway.MeshMessage
		assert.Equal(t, "required field is missing", refused(t, "id", m.UnmarshalJSON([]byte(`{}`))))
	}
}

// The wrong value comes first in the document, so it is reported before the missing field.
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

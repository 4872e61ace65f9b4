package wire_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// without returns the smallest message with one member gone or null.
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

func TestThePeerNameIsRequired(t *testing.T) {
	t.Parallel()
	var list gateway.PeerList
	err := list.UnmarshalJSON([]byte(`{"peers":[{"name":"a"},{"url":"http://b"}]}`))
	require.EqualError(t, err, "peers[1].name: required field is missing")
	err = list.UnmarshalJSON([]byte(`[{"name":null}]`))
	assert.EqualError(t, err, "[0].name: null where a value is required")
}

// Empty is a value: whether a name may be empty is for somebody else to say.
func TestAnEmptyStringIsThere(t *testing.T) {
	t.Parallel()
	assert.Empty(t, peer(t, `{"name":""}`).Name)
}

// With several fields missing the first one in the document's order is named, so that the text does not change from one
// run to the next.
func TestTheSameMissingFieldIsNamedEveryTime(t *testing.T) {
	t.Parallel()
	for range 20 {
		var m gateway.MeshMessage
		assert.Equal(t, "required field is missing", refused(t, "id", m.UnmarshalJSON([]byte(`{}`))))
	}
}

// A wrong value is the better news than the field that is missing as well: it comes first in the document.
func TestAWrongValueIsReportedBeforeAMissingField(t *testing.T) {
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

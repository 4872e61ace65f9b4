package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/wire"
)

func TestChangeHasThreeStates(t *testing.T) {
	t.Parallel()
	type request struct {
		Name wire.Change[string] `json:"name,omitempty"`
		Any  wire.Change[any]    `json:"any,omitempty"`
	}
	for want, r := range map[string]request{
		`{}`:                             {},
		`{"name":null}`:                  {Name: wire.Change[string]{false: ""}},
		`{"name":"","any":null}`:         {Name: wire.Change[string]{true: ""}, Any: wire.Change[any]{false: nil}},
		`{"any":{"n":9007199254740993}}`: {Any: wire.Change[any]{true: map[string]any{"n": json.Number("9007199254740993")}}},
	} {
		text, err := json.Marshal(r)
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
		got := request{Name: wire.Change[string]{true: "before"}}
		if r.Name == nil {
			got.Name = nil
		}
		require.NoError(t, json.Unmarshal(text, &got))
		assert.Equal(t, r, got)
	}
	assert.Error(t, json.Unmarshal([]byte(`{"name":1}`), new(request)))
}

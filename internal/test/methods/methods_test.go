package methods_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/methods"
)

// A wrong entry would make the tests that use it fail far from it.
func TestPlacesAreInTheRecordings(t *testing.T) {
	t.Parallel()
	for _, m := range methods.Gateway {
		text, err := os.ReadFile("../contract/testdata/gateway/" + m.Recording + ".json")
		require.NoError(t, err, "%s: Recording", m.Name)
		var recorded struct{ Response struct{ Body any } }
		require.NoError(t, json.Unmarshal(text, &recorded), m.Name)
		for field, place := range map[string][]any{"Text": m.Text, "Integer": m.Integer, "Object": append(m.Object, "any")} {
			value, found := at(recorded.Response.Body, place[:len(place)-1]) // the member itself may be added
			_, isObject := value.(map[string]any)
			assert.True(t, found && isObject, "%s: %s: %s.json has no object for %v", m.Name, field, m.Recording, place)
		}
	}
}

func at(value any, place []any) (any, bool) {
	for _, step := range place {
		switch step := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			member, found := object[step]
			if !found {
				return nil, false
			}
			value = member
		case int:
			list, _ := value.([]any)
			if step >= len(list) {
				return nil, false
			}
			value = list[step]
		}
	}
	return value, true
}

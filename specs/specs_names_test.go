package specs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/specs"
)

// x-enum-varnames are positional: a value inserted before others would rename them.
func TestNamesOfEnumValuesMatchTheirValues(t *testing.T) {
	t.Parallel()
	found := 0
	for _, name := range specs.Names() {
		for schema, ref := range loadForGo(t, name).Components.Schemas {
			names, _ := ref.Value.Extensions["x-enum-varnames"].([]any)
			if names == nil {
				continue
			}
			found++
			values := make([]any, len(ref.Value.Enum))
			for i, value := range ref.Value.Enum {
				values[i] = strings.ToLower(fmt.Sprint(value))
			}
			for i, name := range names {
				names[i] = strings.ToLower(fmt.Sprint(name))
			}
			assert.Equal(t, values, names, "%s: %s", name, schema)
		}
	}
	assert.NotZero(t, found)
}

package billing

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/gen/anthropic"
	"github.com/mesh-gateway/mesh-go/gen/openai"
	"github.com/mesh-gateway/mesh-go/gen/xaimanagement"
)

// A field that is added to a bill has to be added to names.
func TestNamesAreThoseOfTheGeneratedTypes(t *testing.T) {
	t.Parallel()
	for _, bill := range []any{
		openai.CostPage{}, openai.CostBucket{}, openai.CostResult{}, openai.CostAmount{}, anthropic.CostPage{}, anthropic.CostBucket{},
		anthropic.CostResult{}, xaimanagement.Usage{}, xaimanagement.TimeSeries{}, xaimanagement.DataPoint{},
	} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(bill)) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			assert.True(t, name == "-" || names[name] != 0, "%T.%s", bill, name)
		}
	}
	assert.LessOrEqual(t, len(names), 64, "a bit each")
}

package discovery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// The tokens of an advisor are billed at the price of another model and are in none of the counts of the object, and after a
// fallback one model was asked and another one answered. A cost at the price of one model would be wrong.
func TestIterationsOfAnotherModelMakeTheCostUnknown(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, iterations, mode string }{
		{"an advisor", `{"type":"message","input_tokens":10,"output_tokens":9},{"type":"advisor_message","model":"claude-opus-5","input_tokens":823,"output_tokens":1612}`, "other-model"},
		{"a fallback", `{"type":"message","model":"claude-fable-5","input_tokens":10,"output_tokens":0},{"type":"fallback_message","model":"claude-sonnet-5","input_tokens":10,"output_tokens":9}`, "other-model"},
		{"a type that is not known", `{"type":"something_new","input_tokens":1,"output_tokens":1}`, "other-model"},
		{"two advisors", `{"type":"advisor_message","input_tokens":1,"output_tokens":1},{"type":"advisor_message","input_tokens":1,"output_tokens":1}`, "other-model"},
		{"messages only", `{"type":"message","input_tokens":5,"output_tokens":4},{"type":"message","input_tokens":5,"output_tokens":5}`, ""},
		{"no type", `{"input_tokens":10,"output_tokens":9}`, ""},
		{"none", ``, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			used, err := discovery.ParseUsage(discovery.Anthropic, []byte(`{"input_tokens":10,"output_tokens":9,"iterations":[`+row.iterations+`]}`))
			require.NoError(t, err)
			assert.Equal(t, discovery.Usage{Input: 10, Output: 9, Mode: row.mode}, used)
			for _, mode := range []string{"", "standard", "batch"} {
				_, err := discovery.BuiltInPrices().CostOf(discovery.Call{Provider: discovery.Anthropic, Model: "claude-sonnet-5", Usage: used, At: on(t, "2026-11-20"), Mode: mode})
				if row.mode == "" {
					assert.NoError(t, err, "mode %q", mode)
					continue
				}
				var unpriced *discovery.UnpricedError
				require.ErrorAs(t, err, &unpriced, "mode %q", mode)
				assert.Equal(t, "mode", unpriced.What)
				assert.Contains(t, unpriced.Name, row.mode)
			}
		})
	}
}

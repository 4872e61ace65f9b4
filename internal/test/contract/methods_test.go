package contract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/internal/test/methods"
)

// An example without an object, or without required places, would prove nothing.
func TestExamplesOfMethods(t *testing.T) {
	t.Parallel()
	thread := []string{"thread_uuid", "thread_name", "peer_pair", "topic", "created_at", "last_used_at"}
	required := map[string][]string{"Register": {"", "name"}, "OpenThread": {""}, "ListThreads": {"", "threads", "threads[]"}, "GetThread": {
		"", "thread", "messages", "messages[]",
		"messages[].id", "messages[].from_node", "messages[].to_node", "messages[].kind", "messages[].created_at",
	}}
	for _, field := range thread {
		required["OpenThread"] = append(required["OpenThread"], field)
		required["ListThreads"] = append(required["ListThreads"], "threads[]."+field)
		required["GetThread"] = append(required["GetThread"], "thread."+field)
	}
	for _, m := range methods.Gateway {
		e := m.Example(t, "testdata/gateway")
		assert.NotNil(t, e.Object, m.Name)
		assert.NotEmpty(t, e.Text, m.Name)
		assert.NotEmpty(t, e.Integer, m.Name)
		if want, known := required[m.Name]; known {
			assert.ElementsMatch(t, want, e.Required, m.Name)
			delete(required, m.Name)
		}
	}
	assert.Empty(t, required)
}

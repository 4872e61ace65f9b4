package discoverytest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

func TestDeepSeekModels(t *testing.T) {
	t.Parallel()
	rows := start(t).call(discoverytest.ListDeepSeekModels, "").rows(t, "data")
	assert.Equal(t, []any{"deepseek-flash", "deepseek-v4-flash", "deepseek-chat", "deepseek-reasoner"}, column(rows, "id"))
	assert.Equal(t, []any{json.Number("1048576"), json.Number("1048576"), nil, nil}, column(rows, "context_window"))
	assert.Equal(t, map[string]any{"id": "deepseek-chat", "object": "model", "owned_by": "deepseek"}, rows[2], "the older shape")
	assert.Empty(t, withField(rows, "created"))
}

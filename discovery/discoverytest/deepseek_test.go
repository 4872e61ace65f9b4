package discoverytest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/reply"
)

func TestDeepSeekModels(t *testing.T) {
	t.Parallel()
	rows := start(t).call(discoverytest.ListDeepSeekModels, "").Rows(t, "data")
	assert.Equal(t, []any{"deepseek-flash", "deepseek-v4-flash", "deepseek-chat", "deepseek-reasoner"}, reply.Column(rows, "id"))
	assert.Equal(t, []any{json.Number("1048576"), json.Number("1048576"), nil, nil}, reply.Column(rows, "context_window"))
	assert.Equal(t, map[string]any{"id": "deepseek-chat", "object": "model", "owned_by": "deepseek"}, rows[2], "the older shape")
	assert.Empty(t, withField(rows, "created"))
}

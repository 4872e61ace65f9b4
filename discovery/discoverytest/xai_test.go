package discoverytest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

func TestXAIModels(t *testing.T) {
	t.Parallel()
	rows := start(t).call(discoverytest.ListXAIModels, "").Rows(t, "data")
	assert.Len(t, rows, 7)
	assert.Len(t, withField(rows, "aliases"), 5)
	assert.Len(t, withField(rows, "context_length"), 5)
	assert.Len(t, withField(rows, "prompt_text_token_price"), 1)
	assert.Len(t, withField(rows, "created"), 7)
	assert.Equal(t, []any{"grok-4.5-latest", "grok-latest"}, rows[0]["aliases"])
}

package discoverytest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

func TestOpenAIModels(t *testing.T) {
	t.Parallel()
	r := start(t).call(discoverytest.ListOpenAIModels, "")
	assert.Equal(t, 200, r.Status)
	assert.Equal(t, "list", r.Object(t)["object"])
	rows := r.Rows(t, "data")
	assert.Len(t, rows, 13)
	assert.Len(t, withField(rows, "shutdown_date"), 12, "one row does not have it at all")
	dates := notNull(rows, "shutdown_date")
	assert.Len(t, dates, 10, "on others it is null")
	for _, date := range dates {
		assert.Regexp(t, `^\d{4}-\d\d-\d\d$`, date)
	}
}

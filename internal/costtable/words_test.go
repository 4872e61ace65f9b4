package costtable_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/internal/costtable"
)

func TestLabels(t *testing.T) {
	t.Parallel()
	for want, labels := range map[string]map[string]string{
		"":                                      nil,
		"with team=search":                      {"team": "search"},
		"without job":                           {"job": ""},
		"with job=a=b, team=x, without a, user": {"team": "x", "user": "", "job": "a=b", "a": ""},
	} {
		assert.Equal(t, want, costtable.Labels(labels))
	}
}

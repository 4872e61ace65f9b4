package discovery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

func TestFailureTextHasOneLine(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"one\ntwo\x1b[31mred": "discovery: ListModels: catalog: status: status 503: one two [31mred",
		"":                    "discovery: ListModels: catalog: status: status 503",
		"\r\n":                "discovery: ListModels: catalog: status: status 503",
	} {
		s := catalogServer("")
		s.set("catalog", respondStatus(503, body))
		_, err := s.inProcess(discovery.WithStrictErrors()).ListModels(t.Context(), discovery.CatalogOptions{})
		require.Error(t, err)
		assert.Equal(t, want, err.Error())
	}
}

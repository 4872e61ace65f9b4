package discovery_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func TestProvidersHaveSeveralNamesInTheCatalog(t *testing.T) {
	t.Parallel()
	developers := map[models.Provider][]string{
		models.OpenAI: {"OpenAI", "Open AI"}, models.Gemini: {"Google", "google"}, models.XAI: {"x-ai", "grok"}, "Meta": {"Meta", ""},
	}
	var rows []string
	for _, names := range developers {
		for _, name := range names {
			rows = append(rows, fmt.Sprintf(`{"id":%q,"developer":%q}`, "by "+name, name))
		}
	}
	c := catalogServer("[" + strings.Join(rows, ",") + "]").inProcess()
	for _, p := range models.Providers() {
		list, err := c.ListModels(t.Context(), discovery.CatalogOptions{Provider: p})
		require.NoError(t, err)
		got := make([]string, 0, len(list))
		for _, m := range list {
			got = append(got, m.Developer)
		}
		assert.ElementsMatch(t, developers[p], got, p)
	}
}

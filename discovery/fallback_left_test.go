package discovery_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// The only caller leaves while the providers are being asked in the place of the catalog, and gets the catalog of before. What
// the providers would have said is not known, so that catalog is not replaced by the little there is.
func TestAFallbackThatEverybodyHasLeftIsNotKept(t *testing.T) {
	setKeys(t)
	synctest.Test(t, func(t *testing.T) {
		s := providersUp(says(twoModels))
		c := s.inProcess()
		_, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
		require.NoError(t, err)

		s.set("catalog", refuses(500, ""))
		for _, provider := range []string{"openai", "deepseek", "anthropic", "gemini", "xai"} {
			s.set(provider, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		}
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		models, err := c.ListModels(ctx, discovery.CatalogOptions{Refresh: true})
		require.NoError(t, err)
		assert.Len(t, models, 2, "old, which is better than nothing")
		synctest.Wait() // until the providers have been let go
		assert.ElementsMatch(t, []string{"status", "timeout", "partial"}, s.reasons(), "once each")

		models, err = c.ListModels(t.Context(), discovery.CatalogOptions{})
		require.NoError(t, err)
		assert.Len(t, models, 2)
		assert.Equal(t, 2, s.count("catalog"), "the catalog of before is still young enough")
	})
}

// The text of a failure leads to the field that is wrong, whatever else there is in the answer.
func TestAListOfGeminiThatIsNoneNamesTheField(t *testing.T) {
	setKeys(t)
	s := providersUp(refuses(500, ""))
	s.set("gemini", says(`{"surprise":true,"models":7}`))
	_, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{Provider: discovery.Gemini})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"status", "gemini decode"}, s.reasons())
	for _, f := range s.failures {
		if f.Provider == discovery.Gemini {
			assert.ErrorContains(t, f, "models: ")
		}
	}
}

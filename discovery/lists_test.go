package discovery_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func TestInvalidCursorsAreFailures(t *testing.T) {
	setKeys(t)
	for name, row := range map[string]struct{ provider, body string }{
		"gemini's repeated token":    {"gemini", `{"models":[{"name":"models/g"}],"nextPageToken":"again"}`},
		"anthropic's repeated id":    {"anthropic", `{"data":[{"id":"c"}],"has_more":true,"last_id":"c"}`},
		"anthropic without a cursor": {"anthropic", `{"data":[{"id":"c"}],"has_more":true,"last_id":null}`},
	} {
		s := providerServer(respondStatus(500, ""))
		s.set(row.provider, respond(row.body))
		list, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{Provider: models.Provider(row.provider)})
		require.NoError(t, err)
		assert.Empty(t, list, name)
		assert.Contains(t, s.reasons(), row.provider+" partial", name)
		assert.LessOrEqual(t, s.count(row.provider), 2, name)
	}
	s := providerServer(respondStatus(500, ""))
	n := 0
	s.set("gemini", func(w http.ResponseWriter, _ *http.Request) {
		n++
		fmt.Fprintf(w, `{"models":[{"name":"models/g%d"}],"nextPageToken":"%d"}`, n, n)
	})
	_, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Contains(t, s.reasons(), "gemini partial", "the number of pages is limited")
	assert.Equal(t, 100, n)
}

// The cursor of a page that cannot be read is not followed, even if it comes before the invalid part.
func TestUnreadablePageEndsTheList(t *testing.T) {
	setKeys(t)
	for name, row := range map[string]struct{ provider, body string }{
		"gemini":                     {"gemini", `{"nextPageToken":"2","models":[{"name":7}]}`},
		"anthropic":                  {"anthropic", `{"has_more":true,"last_id":"c","data":[{"id":7}]}`},
		"anthropic without a cursor": {"anthropic", `{"has_more":true,"data":[{"id":7}]}`},
	} {
		s := providerServer(respondStatus(500, ""))
		s.set(row.provider, respond(row.body))
		_, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{Provider: models.Provider(row.provider)})
		require.NoError(t, err)
		assert.Contains(t, s.reasons(), row.provider+" decode", name)
		assert.Equal(t, 1, s.count(row.provider), name)
	}
}

// An error with status 200 on a later page must not cut the list short. The failure names the wrong field, whatever else the
// response contains.
func TestErrorInPlaceOfAGeminiPageIsAFailure(t *testing.T) {
	setKeys(t)
	for page, want := range map[string]string{
		`{"error":{"code":500,"message":"busy"}}`:         "lists no model",
		`{"error":{"code":500},"nextPageToken":""}`:       "lists no model",
		`{"models":[],"error":{"code":500}}`:              "lists no model",
		`{"models":[{"name":"models/a"}],"error":"half"}`: "lists no model",
		`{"surprise":true,"models":7}`:                    "models: ",
	} {
		s := providerServer(respondStatus(500, ""))
		s.set("gemini", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("pageToken") != "" {
				respond(page)(w, r)
				return
			}
			respond(`{"models":[{"name":"models/gemini-3.5-flash"}],"nextPageToken":"2"}`)(w, r)
		})
		list, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{Provider: models.Gemini})
		require.NoError(t, err)
		assert.Empty(t, list)
		require.ElementsMatch(t, []string{"status", "gemini decode"}, s.reasons())
		for _, f := range s.failures {
			if f.Provider == models.Gemini {
				assert.ErrorContains(t, f, want)
			}
		}
	}
}

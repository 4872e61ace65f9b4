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

// The only caller leaves during the fallback and receives the last good catalog. The result of the fallback is incomplete, so
// that it does not replace the catalog.
func TestCanceledFallbackIsNotCached(t *testing.T) {
	setKeys(t)
	synctest.Test(t, func(t *testing.T) {
		s := providerServer(respond(twoModels))
		c := s.inProcess()
		_, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
		require.NoError(t, err)

		s.set("catalog", respondStatus(500, ""))
		for _, provider := range []string{"openai", "deepseek", "anthropic", "gemini", "xai"} {
			s.set(provider, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		}
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		models, err := c.ListModels(ctx, discovery.CatalogOptions{Refresh: true})
		require.NoError(t, err)
		assert.Len(t, models, 2, "the last good catalog")
		synctest.Wait() // until the requests to the providers have ended
		assert.ElementsMatch(t, []string{"status", "timeout", "partial"}, s.reasons(), "once each")

		models, err = c.ListModels(t.Context(), discovery.CatalogOptions{})
		require.NoError(t, err)
		assert.Len(t, models, 2)
		assert.Equal(t, 2, s.count("catalog"), "the cached catalog is still fresh")
	})
}

// A caller whose context ends reports that once. The outcome of the abandoned request is not reported.
func TestCanceledCallerReportsOneFailure(t *testing.T) {
	setKeys(t)
	for want, call := range map[string]func(context.Context, *discovery.Client){
		"timeout":        func(ctx context.Context, c *discovery.Client) { _, _ = c.ListModels(ctx, discovery.CatalogOptions{}) },
		"gemini timeout": func(ctx context.Context, c *discovery.Client) { _, _ = c.FetchGeminiPricing(ctx, withKey) },
	} {
		synctest.Test(t, func(t *testing.T) {
			hangs := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
			s := newFakeServer(map[string]http.HandlerFunc{"catalog": hangs, "cloudbilling": hangs})
			ctx, leave := context.WithTimeout(t.Context(), time.Second)
			defer leave()
			call(ctx, s.inProcess())
			synctest.Wait() // until the request has ended
			assert.Equal(t, []string{want}, s.reasons())
			assert.Zero(t, s.count("openai"), "no fallback is requested")
		})
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
		models, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{Provider: discovery.Gemini})
		require.NoError(t, err)
		assert.Empty(t, models)
		require.ElementsMatch(t, []string{"status", "gemini decode"}, s.reasons())
		for _, f := range s.failures {
			if f.Provider == discovery.Gemini {
				assert.ErrorContains(t, f, want)
			}
		}
	}
}

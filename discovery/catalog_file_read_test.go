package discovery_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// environment variable -> test key
var keys = map[string]string{
	"OPENAI_API_KEY": "openai.key.of.the.tests", "DEEPSEEK_API_KEY": "deepseek.key.of.the.tests",
	"ANTHROPIC_API_KEY": "anthropic.key.of.the.tests", "GEMINI_API_KEY": "gemini.key.of.the.tests", "XAI_API_KEY": "xai.key.of.the.tests",
}

func setKeys(t *testing.T) {
	t.Helper()
	for name, key := range keys {
		t.Setenv(name, key)
	}
}

// providerServer returns a server with this catalog and all providers' lists. Paged lists
// have two pages.
func providerServer(catalog http.HandlerFunc) *fakeServer {
	return newFakeServer(map[string]http.HandlerFunc{
		"catalog":  catalog,
		"openai":   respond(`{"object":"list","data":[{"id":"gpt-5.6","shutdown_date":null},{"id":"o3","shutdown_date":"2026-12-11"}]}`),
		"deepseek": respond(`{"data":[{"id":"deepseek-flash","name":"Flash","context_window":1048576,"max_output_tokens":393216},{"id":"deepseek-chat"}]}`),
		"xai":      respond(`{"data":[{"id":"grok-4.5","aliases":["grok-latest"],"context_length":256000}]}`),
		"anthropic": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("after_id") == "" {
				_, _ = w.Write([]byte(`{"data":[{"id":"claude-opus-5-5","display_name":"Opus","max_input_tokens":1000000,"max_tokens":64000}],"has_more":true,"last_id":"claude-opus-5-5"}`))
				return
			}
			_, _ = w.Write([]byte(`{"data":[{"id":"claude-haiku-5-5"}],"has_more":false,"last_id":null}`))
		},
		"gemini": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("pageToken") == "" {
				_, _ = w.Write([]byte(`{"models":[{"name":"models/gemini-3.5-flash","displayName":"Flash","inputTokenLimit":1048576,"outputTokenLimit":65536,"supportedGenerationMethods":["generateContent","countTokens"]}],"nextPageToken":"p 2"}`))
				return
			}
			_, _ = w.Write([]byte(`{"models":[{"name":"models/gemini-3.8-pro"}],"nextPageToken":""}`))
		},
	})
}

func TestFallbackSendsEveryProviderItsOwnKeyAndHeader(t *testing.T) {
	setKeys(t)
	s := providerServer(respondStatus(502, "bad gateway"))
	header := map[string]string{
		"openai": "Authorization", "deepseek": "Authorization", "xai": "Authorization", "anthropic": "x-api-key", "gemini": "x-goog-api-key",
	}
	for name, h := range header {
		inner, prefix := s.handlers[name], ""
		if h == "Authorization" {
			prefix = "Bearer "
		}
		s.set(name, func(w http.ResponseWriter, r *http.Request) {
			assert.Equal(t, prefix+name+".key.of.the.tests", r.Header.Get(h))
			assert.NotContains(t, r.URL.String(), "key")
			inner(w, r)
		})
	}
	models, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"gpt-5.6", "o3", "deepseek-flash", "deepseek-chat", "claude-opus-5-5", "claude-haiku-5-5", "gemini-3.5-flash", "gemini-3.8-pro", "grok-4.5",
	}, ids(models), "in provider order, whichever answers first")
	assert.Equal(t, []string{"status"}, s.reasons(), "only the catalog's failure")
	assert.Equal(t, "deepseek", models[2].Source)
	assert.Equal(t, "DeepSeek", models[2].Developer)
	assert.Equal(t, int64(393216), *models[2].MaxTokens)
	assert.Equal(t, "Opus", *models[4].Name)
	assert.Equal(t, int64(65536), *models[6].MaxTokens)
	assert.Equal(t, "generateContent", *models[6].Type)
	assert.Nil(t, models[7].Type)
	assert.Equal(t, []string{"grok-latest"}, models[8].Aliases)
	assert.Nil(t, models[0].ContextLength)
	assert.NotNil(t, models[0].Aliases)
	assert.Equal(t, 2, s.count("anthropic"))
	assert.Equal(t, 2, s.count("gemini"))
}

func TestFallbackLeavesOutAProviderWithoutAKey(t *testing.T) {
	t.Setenv("XAI_API_KEY", " \t")
	t.Setenv("DEEPSEEK_API_KEY", " a.key.with.blanks.around \n")
	s := providerServer(respondStatus(500, ""))
	s.set("deepseek", func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer a.key.with.blanks.around", r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(`{"data":[{"id":"deepseek-chat"}]}`))
	})
	models, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"deepseek-chat"}, ids(models))
	assert.Equal(t, []string{"status"}, s.reasons())
	for _, name := range []string{"openai", "anthropic", "gemini", "xai"} {
		assert.Zero(t, s.count(name), name)
	}
}

func TestFallbackReportsAProviderThatFails(t *testing.T) {
	setKeys(t)
	synctest.Test(t, func(t *testing.T) {
		s := providerServer(respondStatus(500, ""))
		s.set("openai", func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			respondStatus(401, `{"error":{"message":"Incorrect API key provided"}}`)(w, r)
		})
		s.set("gemini", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("pageToken") != "" {
				w.WriteHeader(500)
				return
			}
			_, _ = w.Write([]byte(`{"models":[{"name":"models/gemini-3.5-flash"}],"nextPageToken":"2"}`))
		})
		models, err := s.inProcess().ListModels(t.Context(), discovery.CatalogOptions{})
		require.NoError(t, err)
		assert.Equal(t, []string{"deepseek-flash", "deepseek-chat", "claude-opus-5-5", "claude-haiku-5-5", "grok-4.5"}, ids(models),
			"the first page of Gemini is not passed off as its list")
		assert.Equal(t, []string{"status", "openai denied", "gemini status"}, s.reasons(), "in provider order, although OpenAI fails last")
	})
}

func TestLastGoodCatalogIsUsedWhenTheFallbackIsEmpty(t *testing.T) {
	t.Parallel()
	s := catalogServer(twoModels)
	c := s.client(t, discovery.WithOutageTTL(0))
	list := func() []string {
		models, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
		require.NoError(t, err)
		return ids(models)
	}
	s.set("catalog", respondStatus(500, ""))
	assert.Equal(t, []string{}, list(), "there is no last good catalog")
	s.set("catalog", respond(twoModels))
	good := list()
	assert.Len(t, good, 2)
	c.InvalidateCatalog()
	s.set("catalog", respond(`[]`))
	assert.Equal(t, good, list())
	s.set("catalog", respond(`{"data":null}`))
	assert.Equal(t, good, list())
	assert.Equal(t, []string{"status", "decode", "partial", "decode", "partial"}, s.reasons(), "the catalog's failure comes first")
	s.set("catalog", respond(`[{"id":"new","developer":"D"}]`))
	assert.Equal(t, []string{"new"}, list())
}

func TestOutageIsCached(t *testing.T) {
	t.Setenv("XAI_API_KEY", keys["XAI_API_KEY"])
	synctest.Test(t, func(t *testing.T) {
		s := providerServer(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		c := s.inProcess()
		begin := time.Now()
		for range 5 {
			models, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
			require.NoError(t, err)
			assert.Equal(t, []string{"grok-4.5"}, ids(models))
		}
		assert.Equal(t, 30*time.Second, time.Since(begin), "one timeout, not five")
		assert.Equal(t, 1, s.count("catalog"))
		assert.Equal(t, 1, s.count("xai"), "the fallback is cached too")
		assert.Equal(t, []string{"timeout"}, s.reasons())

		time.Sleep(2 * time.Second)
		list(t, c, discovery.CatalogOptions{TTL: time.Second})
		assert.Equal(t, 2, s.count("catalog"), "a shorter TTL applies to the fallback too")

		time.Sleep(discovery.DefaultOutageTTL)
		s.set("catalog", respond(twoModels))
		models, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
		require.NoError(t, err)
		assert.Len(t, models, 2, "the catalog is requested again after the pause")
	})
}

func TestStrictErrorsIncludeEveryFailure(t *testing.T) {
	setKeys(t)
	s := providerServer(respondStatus(503, "busy"))
	s.set("openai", respondStatus(429, ""))
	models, err := s.client(t, discovery.WithStrictErrors()).ListModels(t.Context(), discovery.CatalogOptions{})
	assert.NotEmpty(t, models, "models and the error")
	var first *discovery.Failure
	require.ErrorAs(t, err, &first)
	assert.Equal(t, discovery.Failure{Operation: "ListModels", Reason: discovery.ReasonStatus, StatusCode: 503, Err: first.Err}, *first)
	require.ErrorContains(t, err, "openai: rate_limited")
}

func TestErrorOfACanceledCallerMatchesItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer(map[string]http.HandlerFunc{"catalog": func(_ http.ResponseWriter, _ *http.Request) { panic(errors.New("the network is down")) }})
		_, err := s.inProcess(discovery.WithStrictErrors()).ListModels(t.Context(), discovery.CatalogOptions{})
		require.ErrorContains(t, err, "the network is down")
	})
}

func TestMostlyUnreadableCatalogDoesNotReplaceAGoodOne(t *testing.T) {
	t.Setenv("XAI_API_KEY", keys["XAI_API_KEY"])
	const mostlyBad = `[{"id":"new"},{"id":1},{"id":2}]`
	s := catalogServer(twoModels)
	c := s.client(t, discovery.WithOutageTTL(0))
	list := func() []string {
		models, err := c.ListModels(t.Context(), discovery.CatalogOptions{Refresh: true})
		require.NoError(t, err)
		return ids(models)
	}
	good := list()
	s.set("catalog", respond(mostlyBad))
	s.set("xai", respondStatus(500, ""))
	assert.Equal(t, good, list())
	assert.Equal(t, []string{"partial", "xai status", "partial"}, s.reasons())
	s.set("xai", respond(`{"data":[{"id":"grok-4.5"}]}`))
	assert.Equal(t, []string{"grok-4.5"}, list(), "the providers' lists are used")

	s = catalogServer(`[{"id":"new"},{"id":"new-2"},{"id":2}]`)
	c = s.client(t)
	assert.Equal(t, []string{"new", "new-2"}, list(), "a catalog is used if one row in three is invalid")
}

func TestUnrequested304IsAFailure(t *testing.T) {
	t.Parallel()
	s := catalogServer(twoModels) // without an ETag
	c := s.client(t)
	_, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	s.set("catalog", respondStatus(http.StatusNotModified, ""))
	models, err := c.ListModels(t.Context(), discovery.CatalogOptions{Refresh: true})
	require.NoError(t, err)
	assert.Len(t, models, 2)
	assert.Equal(t, []string{"status", "partial"}, s.reasons())
}

// The only caller leaves during the fallback and gets the last good catalog. The
// fallback's result is incomplete, so it doesn't replace the catalog.
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

// FuzzCatalog feeds any bytes to the catalog decoder: no panic, no model without an id,
// no unknown value read as 0 or "", row counts that add up, and a list only if the
// response is valid JSON.
func FuzzCatalog(f *testing.F) {
	f.Add(recordedCatalog(f)[:2000])
	for _, seed := range []string{twoModels, `[]`, `null`, `{}`, `{"data":[{"id":"a","developer":"D","aliases":["b"]},{"id":"b","developer":"E"}]}`,
		`[{"id":"a","info":{"developer":"D","contextLength":"1e2","outputMax":-5}}]`, `{"data":[1,2,{"id":"x","developer":"y"}],"data":[]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s := catalogServer(string(body))
		models, err := s.inProcess().ListModels(t.Context(), discovery.CatalogOptions{})
		require.NoError(t, err)
		if !json.Valid(body) {
			assert.Empty(t, models)
		}
		assert.Equal(t, len(models) == 0, len(s.failures) > 0 && s.failures[len(s.failures)-1].Reason == discovery.ReasonDecode)
		for _, m := range models {
			assert.NotEmpty(t, m.ID)
			for _, n := range []*int64{m.ContextLength, m.MaxTokens} {
				assert.True(t, n == nil || *n > 0)
			}
			for _, text := range []*string{m.Name, m.Description, m.Type} {
				assert.True(t, text == nil || *text != "")
			}
		}
	})
}

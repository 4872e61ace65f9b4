package discovery_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// aliases returns a JSON list of n distinct names.
func aliases(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("alias-%d", i)
	}
	text, _ := json.Marshal(names)
	return string(text)
}

func TestRowWithTooManyAliasesIsLeftOut(t *testing.T) {
	t.Parallel()
	s := catalogServer(`[{"id":"many","aliases":` + aliases(40_000) + `},{"id":"most","aliases":` + aliases(1000) + `},{"id":"plain"}]`)
	models, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"most", "plain"}, ids(models))
	assert.Len(t, models[0].Aliases, 1000)
	assert.Equal(t, []string{"partial"}, s.reasons())
	assert.ErrorContains(t, s.failures[0], "1 of 3 rows")
}

// BenchmarkManyAliases merges rows of one id with 80,000 and 160,000 aliases in all: the time doubles, and does not grow with
// the square.
func BenchmarkManyAliases(b *testing.B) {
	for _, rows := range []int{80, 160} {
		list := make([]string, rows)
		for i := range list {
			list[i] = `{"id":"one","aliases":` + strings.ReplaceAll(aliases(1000), "alias", fmt.Sprintf("alias-%d", i)) + `}`
		}
		c := catalogServer("[" + strings.Join(list, ",") + "]").inProcess()
		b.Run(fmt.Sprintf("aliases=%d", 1000*rows), func(b *testing.B) {
			for b.Loop() {
				ok, err := c.IsModelSupported(context.Background(), "one", discovery.CatalogOptions{Refresh: true})
				if !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
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
	assert.Equal(t, []string{"grok-4.5"}, list(), "the lists of the providers are used")

	s = catalogServer(`[{"id":"new"},{"id":"new-2"},{"id":2}]`)
	c = s.client(t)
	assert.Equal(t, []string{"new", "new-2"}, list(), "a catalog with one invalid row of three is used")
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

func TestFailureHandlerMayCallTheClient(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"catalog": respondStatus(500, "")})
	var c *discovery.Client
	var nested []discovery.Reason
	done := make(chan struct{})
	go func() {
		defer close(done)
		c = s.client(t, discovery.WithFailureHandler(func(f discovery.Failure) {
			nested = append(nested, f.Reason)
			_, err := c.ListModels(context.Background(), discovery.CatalogOptions{})
			assert.NoError(t, err)
		}))
		_, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
		assert.NoError(t, err)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("deadlock of the handler and the request")
	}
	assert.Equal(t, []discovery.Reason{discovery.ReasonStatus}, nested)
}

func TestPanicOfAFailureHandlerReachesTheCaller(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"catalog": respondStatus(500, "")})
	c := s.client(t, discovery.WithFailureHandler(func(discovery.Failure) { panic("handler") }))
	assert.PanicsWithValue(t, "handler", func() { _, _ = c.ListModels(t.Context(), discovery.CatalogOptions{}) })
	assert.PanicsWithValue(t, "handler", func() { _, _ = c.ListModels(t.Context(), discovery.CatalogOptions{Refresh: true}) }, "the client still works")
}

func TestErrorsAsFindsAFailureAsValueAndAsPointer(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"catalog": respondStatus(503, "")})
	_, err := s.client(t, discovery.WithStrictErrors()).ListModels(t.Context(), discovery.CatalogOptions{})
	var value discovery.Failure
	var pointer *discovery.Failure
	require.ErrorAs(t, err, &value)
	require.ErrorAs(t, err, &pointer)
	assert.Equal(t, value, *pointer)
	assert.Equal(t, 503, pointer.StatusCode)
	var other *discovery.ValueError
	assert.NotErrorAs(t, err, &other)
}

func TestModelInfoHasNoNullListsInJSON(t *testing.T) {
	t.Parallel()
	for _, m := range []any{discovery.ModelInfo{ID: "m"}, &discovery.ModelInfo{ID: "m"}, []discovery.ModelInfo{{ID: "m"}}} {
		text, err := json.Marshal(m)
		require.NoError(t, err)
		assert.Contains(t, string(text), `"aliases":[],"tags":[]`)
	}
	var back discovery.ModelInfo
	require.NoError(t, json.Unmarshal([]byte(`{"id":"m","aliases":["a"],"tags":[]}`), &back))
	assert.Equal(t, []string{"a"}, back.Aliases)
}

func TestUnlistedBuildMatchesOnlyWithAPastDate(t *testing.T) {
	t.Parallel()
	c := catalogServer(`[{"id":"gpt-4o","developer":"OpenAI"},{"id":"claude-opus-4-5","developer":"Anthropic"},{"id":"gemini-2.5-pro","developer":"Google"},
		{"id":"grok-4","developer":"xAI"},{"id":"gpt-5-2099-12-31","developer":"OpenAI"},{"id":"gpt-5","developer":"OpenAI"}]`).inProcess()
	for id, want := range map[string]string{
		"gpt-4o-2024-08-06":                          "gpt-4o",
		"openai/gpt-4o-2024-08-06":                   "gpt-4o",
		"gpt-4o-2099-12-31":                          "",
		"openai/gpt-4o-2099-12-31":                   "",
		"gpt-4o-2025-02-30":                          "",
		"ft:gpt-4o-2024-08-06:acme-9999-01::x":       "gpt-4o",
		"ft:gpt-4o-2099-08-06:acme::x":               "",
		"claude-opus-4-5-20251101":                   "claude-opus-4-5",
		"claude-opus-4-5@20251101":                   "claude-opus-4-5",
		"us.anthropic.claude-opus-4-5-20251101-v1:0": "claude-opus-4-5",
		"claude-opus-4-5-20991101":                   "",
		"claude-opus-4-5-20250230":                   "",
		"gemini-2.5-pro-preview-06-05":               "gemini-2.5-pro",
		"gemini-2.5-pro-preview-02-30":               "",
		"gemini-2.5-pro-preview-09-2025":             "gemini-2.5-pro",
		"gemini-2.5-pro-preview-09-2099":             "",
		"grok-4-0709":                                "grok-4",
		"grok-4-0231":                                "",
		"x-ai/grok-4-latest":                         "grok-4",
		"gpt-5-2099-12-31":                           "gpt-5-2099-12-31", // listed
		"openai/gpt-5-2099-12-31":                    "gpt-5-2099-12-31",
	} {
		m, err := c.GetModelInfo(t.Context(), id, discovery.CatalogOptions{})
		require.NoError(t, err)
		supported, err := c.IsModelSupported(t.Context(), id, discovery.CatalogOptions{})
		require.NoError(t, err)
		if assert.Equal(t, want != "", m != nil, id) && m != nil {
			assert.Equal(t, want, m.ID, id)
		}
		assert.Equal(t, want != "", supported, id)
	}
}

package discovery_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// endlessPages sends page after page with n bytes, each after a while.
func endlessPages(s *fakeServer, n int, while time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(while)
		page := fmt.Sprintf(`{"object":"page","data":[],"has_more":true,"next_page":"page_%d"}`, s.count("openai"))
		_, _ = w.Write([]byte(page + strings.Repeat(" ", n-len(page))))
	}
}

// Otherwise endless pages would be read without limit.
func TestPagesOfAListShareOneSizeLimit(t *testing.T) {
	t.Parallel()
	const limit = 10_000
	s := newFakeServer(nil)
	s.handlers = map[string]http.HandlerFunc{"openai": endlessPages(s, limit*3/4, 0)}
	buckets, err := s.client(t, discovery.WithMaxResponseBytes(limit)).FetchOpenAICostBuckets(t.Context(), costQuery())
	require.NoError(t, err)
	assert.Empty(t, buckets)
	assert.Equal(t, []string{"openai too_large"}, s.reasons())
	assert.Equal(t, 3, s.count("openai"), "two pages of 75 % fit into twice the limit, the third does not")
}

func TestPagesOfAListShareOneTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer(nil)
		s.handlers = map[string]http.HandlerFunc{"openai": endlessPages(s, 100, 10*time.Second)}
		query := costQuery()
		query.Timeout = 12 * time.Second
		began := time.Now()
		buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), query)
		require.NoError(t, err)
		assert.Empty(t, buckets)
		assert.Equal(t, []string{"openai timeout"}, s.reasons())
		assert.ErrorContains(t, s.failures[0], "the pages take more than 2m0s in all")
		assert.Equal(t, 130*time.Second, time.Since(began))
	})
}

func TestResponsesAreLimitedTo32MiBByDefault(t *testing.T) {
	t.Parallel()
	for size, want := range map[int][]string{32 << 20: nil, 32<<20 + 1: {"too_large"}} {
		synctest.Test(t, func(t *testing.T) { // in real time, the request might time out on a slow machine
			s := catalogServer(twoModels + strings.Repeat(" ", size-len(twoModels)))
			models, err := s.inProcess().ListModels(t.Context(), discovery.CatalogOptions{})
			require.NoError(t, err)
			assert.Equal(t, want == nil, len(models) == 2)
			assert.Equal(t, want, s.reasons())
		})
	}
}

// If a caller's context ends, that's reported once. The abandoned request's outcome
// isn't.
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

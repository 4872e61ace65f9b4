package discovery_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

func TestCallersCannotModifyTheCache(t *testing.T) {
	t.Parallel()
	c := catalogServer(strings.Replace(twoModels, `["gpt-4o"]`, `["gpt-4o","a","b"]`, 1)).inProcess()
	modify := func(m *discovery.ModelInfo) {
		*m.ContextLength, *m.Name, m.ID = 1, "modified", "modified"
		m.Aliases[0], m.Tags[0] = "modified", "modified"
		_ = append(m.Aliases, "modified")
	}
	models, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	modify(&models[0])
	m, err := c.GetModelInfo(t.Context(), "gpt-4o", discovery.CatalogOptions{})
	require.NoError(t, err)
	modify(m)
	again, err := c.GetModelInfo(t.Context(), "gpt-4o", discovery.CatalogOptions{})
	require.NoError(t, err)
	text, err := json.Marshal(again)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "modified")
	assert.Equal(t, int64(128000), *again.ContextLength)
}

func TestCatalogIsRequestedOncePerTTL(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := catalogServer(twoModels)
		c := s.inProcess()
		list := func(opts discovery.CatalogOptions) int {
			models, err := c.ListModels(t.Context(), opts)
			require.NoError(t, err)
			assert.Len(t, models, 2)
			return s.count("catalog")
		}
		assert.Equal(t, 1, list(discovery.CatalogOptions{}))
		assert.Equal(t, 1, list(discovery.CatalogOptions{}))
		assert.Equal(t, 2, list(discovery.CatalogOptions{Refresh: true}))
		time.Sleep(time.Hour) // virtual time
		assert.Equal(t, 2, list(discovery.CatalogOptions{}))
		assert.Equal(t, 3, list(discovery.CatalogOptions{TTL: time.Hour}))
		time.Sleep(discovery.DefaultCatalogTTL)
		assert.Equal(t, 4, list(discovery.CatalogOptions{}))
		c.InvalidateCatalog()
		assert.Equal(t, 5, list(discovery.CatalogOptions{}))
	})
}

func TestUnchangedCatalogIsNotSentAgain(t *testing.T) {
	t.Parallel()
	etag, sent := `W/"1"`, 0
	s := newFakeServer(map[string]http.HandlerFunc{"catalog": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		sent++
		_, _ = w.Write([]byte(strings.ReplaceAll(twoModels, "GPT-4o", "Version "+etag[3:4])))
	}})
	c := s.client(t)
	for i, change := range []string{`W/"1"`, `W/"1"`, `W/"2"`, `W/"2"`} {
		etag = change
		if i == 3 {
			c.InvalidateCatalog()
		}
		m, err := c.GetModelInfo(t.Context(), "gpt-4o", discovery.CatalogOptions{Refresh: true})
		require.NoError(t, err)
		assert.Equal(t, "Version "+change[3:4], *m.Name)
	}
	assert.Equal(t, 4, s.count("catalog"))
	assert.Equal(t, 2, sent)
	assert.Empty(t, s.reasons())
}

func TestConcurrentCallersShareOneRequest(t *testing.T) {
	t.Parallel()
	s := catalogServer(twoModels)
	c := s.client(t)
	var all sync.WaitGroup
	start := make(chan struct{})
	for range 10_000 {
		all.Go(func() {
			<-start
			if supported, err := c.IsModelSupported(t.Context(), "gpt-4o", discovery.CatalogOptions{}); err != nil || !supported {
				t.Error("not supported", err)
			}
		})
	}
	close(start)
	all.Wait()
	assert.Equal(t, 1, s.count("catalog"))
}

func TestCallerThatTimesOutDoesNotCancelTheSharedRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer(map[string]http.HandlerFunc{"catalog": func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(time.Second)
			_, _ = w.Write([]byte(twoModels))
		}})
		c := s.inProcess()
		short, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer leave()
		results := make(chan []discovery.ModelInfo, 2)
		for _, ctx := range []context.Context{short, t.Context()} {
			go func() {
				models, err := c.ListModels(ctx, discovery.CatalogOptions{})
				assert.NoError(t, err)
				results <- models
			}()
			synctest.Wait()
		}
		assert.Equal(t, []discovery.ModelInfo{}, <-results, "empty, not nil")
		assert.Len(t, <-results, 2)
		assert.Equal(t, 1, s.count("catalog"))
		assert.Equal(t, []string{"timeout"}, s.reasons())
	})
}

func TestRequestWithoutCallersIsNotCached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer(map[string]http.HandlerFunc{"catalog": func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-time.After(time.Second):
				_, _ = w.Write([]byte(twoModels))
			}
		}})
		c := s.inProcess()
		ctx, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer leave()
		models, err := c.ListModels(ctx, discovery.CatalogOptions{})
		require.NoError(t, err)
		assert.Empty(t, models)
		synctest.Wait() // until the canceled request has ended
		models, err = c.ListModels(t.Context(), discovery.CatalogOptions{})
		require.NoError(t, err)
		assert.Len(t, models, 2, "the canceled request does not count as an outage")
	})
}

// The three methods share one catalog and one TTL. The TTL is a literal here, so changing
// the constant fails the test.
func TestEveryMethodHonorsTheTTL(t *testing.T) {
	t.Parallel()
	const ttlSeconds = 86400
	for name, call := range map[string]func(context.Context, *discovery.Client, discovery.CatalogOptions) error{
		"ListModels": func(ctx context.Context, c *discovery.Client, opts discovery.CatalogOptions) error {
			_, err := c.ListModels(ctx, opts)
			return err
		},
		"IsModelSupported": func(ctx context.Context, c *discovery.Client, opts discovery.CatalogOptions) error {
			_, err := c.IsModelSupported(ctx, "gpt-4o", opts)
			return err
		},
		"GetModelInfo": func(ctx context.Context, c *discovery.Client, opts discovery.CatalogOptions) error {
			_, err := c.GetModelInfo(ctx, "gpt-4o", opts)
			return err
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := catalogServer(twoModels)
			c := s.inProcess()
			for i, row := range []struct {
				after    time.Duration // since the previous row, in virtual time
				opts     discovery.CatalogOptions
				requests int
			}{
				{0, discovery.CatalogOptions{}, 1},
				{ttlSeconds*time.Second - 1, discovery.CatalogOptions{}, 1},
				{1, discovery.CatalogOptions{}, 2},
				{0, discovery.CatalogOptions{Refresh: true}, 3},
				{time.Minute, discovery.CatalogOptions{TTL: time.Hour}, 3},
				{0, discovery.CatalogOptions{TTL: time.Minute}, 4},
			} {
				time.Sleep(row.after)
				require.NoError(t, call(t.Context(), c, row.opts))
				assert.Equal(t, row.requests, s.count("catalog"), "%s, row %d", name, i)
			}
		})
	}
}

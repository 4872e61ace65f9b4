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

func TestCallersCannotSpoilTheCache(t *testing.T) {
	t.Parallel()
	c := catalogOf(strings.Replace(twoModels, `["gpt-4o"]`, `["gpt-4o","a","b"]`, 1)).inProcess()
	spoil := func(m *discovery.ModelInfo) {
		*m.ContextLength, *m.Name, m.ID = 1, "spoilt", "spoilt"
		m.Aliases[0], m.Tags[0] = "spoilt", "spoilt"
		_ = append(m.Aliases, "spoilt")
	}
	models, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	spoil(&models[0])
	m, err := c.GetModelInfo(t.Context(), "gpt-4o", discovery.CatalogOptions{})
	require.NoError(t, err)
	spoil(m)
	again, err := c.GetModelInfo(t.Context(), "gpt-4o", discovery.CatalogOptions{})
	require.NoError(t, err)
	text, err := json.Marshal(again)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "spoilt")
	assert.Equal(t, int64(128000), *again.ContextLength)
}

func TestTheCatalogIsAskedOncePerTTL(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := catalogOf(twoModels)
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
		time.Sleep(time.Hour) // the time of the bubble, which costs nothing
		assert.Equal(t, 2, list(discovery.CatalogOptions{}))
		assert.Equal(t, 3, list(discovery.CatalogOptions{TTL: time.Hour}))
		time.Sleep(discovery.DefaultCatalogTTL)
		assert.Equal(t, 4, list(discovery.CatalogOptions{}))
		c.InvalidateCatalog()
		assert.Equal(t, 5, list(discovery.CatalogOptions{}))
	})
}

func TestAnUnchangedCatalogIsNotSentAgain(t *testing.T) {
	t.Parallel()
	etag, sent := `W/"1"`, 0
	s := newSite(map[string]http.HandlerFunc{"catalog": func(w http.ResponseWriter, r *http.Request) {
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

func TestTenThousandColdCallersAskOnce(t *testing.T) {
	t.Parallel()
	s := catalogOf(twoModels)
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

func TestAnImpatientCallerDoesNotSpoilItForTheRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(map[string]http.HandlerFunc{"catalog": func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(time.Second)
			_, _ = w.Write([]byte(twoModels))
		}})
		c := s.inProcess()
		impatient, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer leave()
		results := make(chan []discovery.ModelInfo, 2)
		for _, ctx := range []context.Context{impatient, t.Context()} {
			go func() {
				models, err := c.ListModels(ctx, discovery.CatalogOptions{})
				assert.NoError(t, err)
				results <- models
			}()
			synctest.Wait()
		}
		assert.Equal(t, []discovery.ModelInfo{}, <-results, "empty, and never nil")
		assert.Len(t, <-results, 2)
		assert.Equal(t, 1, s.count("catalog"))
		assert.Equal(t, []string{"timeout"}, s.reasons())
	})
}

func TestWhenEverybodyHasLeftNothingIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(map[string]http.HandlerFunc{"catalog": func(w http.ResponseWriter, r *http.Request) {
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
		synctest.Wait() // until the cancelled request has ended
		models, err = c.ListModels(t.Context(), discovery.CatalogOptions{})
		require.NoError(t, err)
		assert.Len(t, models, 2, "the cancelled request is not remembered as an outage")
	})
}

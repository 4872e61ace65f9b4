package discovery_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func TestPricesAreCachedForADayPerKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := recordedServer(t)
		c := s.inProcess()
		fetch := func(key string, opts discovery.PricingOptions) {
			t.Helper()
			opts.APIKey = discovery.NewSecret(key)
			rows, err := c.FetchGeminiPricing(t.Context(), opts)
			require.NoError(t, err)
			require.Len(t, rows, 46)
		}
		for range 3 {
			fetch("one", discovery.PricingOptions{})
		}
		assert.Equal(t, 1, s.count("cloudbilling"))
		fetch("two", discovery.PricingOptions{})
		fetch("one", discovery.PricingOptions{})
		assert.Equal(t, 2, s.count("cloudbilling"), "each key has its own list")
		time.Sleep(24*time.Hour - time.Nanosecond)
		fetch("one", discovery.PricingOptions{})
		assert.Equal(t, 2, s.count("cloudbilling"))
		time.Sleep(time.Nanosecond)
		fetch("one", discovery.PricingOptions{})
		assert.Equal(t, 3, s.count("cloudbilling"))
		fetch("one", discovery.PricingOptions{Refresh: true})
		assert.Equal(t, 4, s.count("cloudbilling"))
		time.Sleep(time.Minute)
		fetch("one", discovery.PricingOptions{TTL: time.Hour})
		assert.Equal(t, 4, s.count("cloudbilling"))
		fetch("one", discovery.PricingOptions{TTL: time.Minute})
		assert.Equal(t, 5, s.count("cloudbilling"))
	})
}

func TestInvalidatePricing(t *testing.T) {
	t.Parallel()
	s := recordedServer(t)
	c := s.inProcess()
	c.InvalidatePricing()
	for _, row := range []struct {
		providers []models.Provider
		again     bool
	}{
		{nil, true}, {[]models.Provider{models.Gemini}, true}, {[]models.Provider{"Google"}, true},
		{[]models.Provider{models.Anthropic, models.Gemini}, true}, {[]models.Provider{models.Anthropic}, false}, {[]models.Provider{"nobody"}, false},
	} {
		_, _ = c.FetchGeminiPricing(t.Context(), withKey)
		before := s.count("cloudbilling")
		c.InvalidatePricing(row.providers...)
		_, _ = c.FetchGeminiPricing(t.Context(), withKey)
		assert.Equal(t, row.again, s.count("cloudbilling") > before, "%v", row.providers)
	}
}

// If InvalidatePricing is called during a request, its waiters get the result, but it
// isn't cached.
func TestRequestFromBeforeInvalidatePricingIsNotCached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan string)
		s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(<-answer)) }})
		c := s.inProcess()
		fetch := func() chan float64 {
			got := make(chan float64)
			go func() {
				rows, _ := c.FetchGeminiPricing(t.Context(), withKey)
				got <- *rows[0].InputPerMTok
			}()
			synctest.Wait()
			return got
		}
		old := fetch()
		c.InvalidatePricing()
		young := fetch()
		assert.Equal(t, 2, s.count("cloudbilling"))
		answer <- pageOf(early("A", flashText, 1000))
		answer <- pageOf(early("A", flashText, 2000))
		assert.ElementsMatch(t, []float64{1, 2}, []float64{<-old, <-young})
	})
}

func TestConcurrentPriceLookupsShareOneRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(time.Second)
			_, _ = w.Write([]byte(pageOf(early("A", flashText, 750))))
		}})
		c := s.inProcess()
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				if i%2 == 0 {
					rows, err := c.FetchGeminiPricing(t.Context(), withKey)
					assert.NoError(t, err)
					assert.Len(t, rows, 1)
					return
				}
				price, err := c.PricingForGeminiModel(t.Context(), "3.7 flash", discovery.GeminiPriceQuery{Direction: discovery.Input, PricingOptions: withKey})
				assert.NoError(t, err)
				assert.Equal(t, ptr(0.75), price)
			})
		}
		all.Wait()
		assert.Equal(t, 1, s.count("cloudbilling"))
	})
}

// Two keys may have different prices. Neither gets the other's, even with concurrent
// requests.
func TestKeysDoNotSharePrices(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			_, _ = w.Write([]byte(pageOf(early("A", flashText, 1000*len(r.Header.Get("X-Goog-Api-Key"))))))
		}})
		c := s.inProcess()
		var all sync.WaitGroup
		for i := range 60 {
			key := strings.Repeat("k", 1+i%3)
			all.Go(func() {
				rows, err := c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{APIKey: discovery.NewSecret(key)})
				assert.NoError(t, err)
				assert.Equal(t, ptr(float64(len(key))), rows[0].InputPerMTok)
			})
		}
		all.Wait()
		assert.Equal(t, 3, s.count("cloudbilling"), "one request for each key")
	})
}

// A caller that times out gets nothing. The others get the shared request's prices.
func TestCallerThatTimesOutDoesNotCancelSharedPrices(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(time.Second)
			_, _ = w.Write([]byte(pageOf(early("A", flashText, 750))))
		}})
		c := s.inProcess()
		impatient, leave := context.WithTimeout(t.Context(), time.Millisecond)
		defer leave()
		lengths := make(chan int, 2)
		for _, ctx := range []context.Context{impatient, t.Context()} {
			go func() {
				rows, err := c.FetchGeminiPricing(ctx, withKey)
				assert.NoError(t, err)
				lengths <- len(rows)
			}()
			synctest.Wait() // the caller with the deadline is first
		}
		assert.Equal(t, []int{0, 1}, []int{<-lengths, <-lengths})
		assert.Equal(t, 1, s.count("cloudbilling"))
		assert.Equal(t, []string{"gemini timeout"}, s.reasons())
	})
}

// A failure doesn't replace a fresh list. Without a pause, the next call sends a request
// again.
func TestFailedRefreshKeepsTheCachedPrices(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": respondStatus(503, "")})
	c := s.inProcess(discovery.WithOutageTTL(0))
	rows, err := c.FetchGeminiPricing(t.Context(), withKey)
	require.NoError(t, err)
	assert.Empty(t, rows)
	s.set("cloudbilling", respond(recordedSKUs(t)))
	rows, err = c.FetchGeminiPricing(t.Context(), withKey)
	require.NoError(t, err)
	assert.Len(t, rows, 46)
	assert.Equal(t, []string{"gemini status"}, s.reasons())
	s.set("cloudbilling", respondStatus(503, ""))
	rows, err = c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{APIKey: discovery.NewSecret(billingKey), Refresh: true})
	require.NoError(t, err)
	assert.Empty(t, rows, "old prices are not returned for a refresh")
	rows, _ = c.FetchGeminiPricing(t.Context(), withKey)
	assert.Len(t, rows, 46, "the cached list is fresh enough without Refresh")
	assert.Equal(t, 3, s.count("cloudbilling"))
}

// After a failure, nothing is sent during WithOutageTTL's pause, but every call reports
// the failure under its own name.
func TestFailedPriceListIsCached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": respondStatus(503, "")})
		c := s.inProcess()
		for range 3 {
			rows, err := c.FetchGeminiPricing(t.Context(), withKey)
			require.NoError(t, err)
			assert.Empty(t, rows)
		}
		_, err := c.PricingForGeminiModel(t.Context(), "3.7 flash", discovery.GeminiPriceQuery{PricingOptions: withKey})
		require.NoError(t, err)
		assert.Equal(t, 1, s.count("cloudbilling"))
		require.Len(t, s.failures, 4)
		assert.Equal(t, "PricingForGeminiModel", s.failures[3].Operation)
		assert.Equal(t, discovery.ReasonStatus, s.failures[3].Reason)

		s.set("cloudbilling", respond(recordedSKUs(t)))
		time.Sleep(discovery.DefaultOutageTTL - time.Nanosecond)
		rows, _ := c.FetchGeminiPricing(t.Context(), withKey)
		assert.Empty(t, rows)
		time.Sleep(time.Nanosecond)
		rows, _ = c.FetchGeminiPricing(t.Context(), withKey)
		assert.Len(t, rows, 46)

		s.set("cloudbilling", respondStatus(503, ""))
		other := discovery.PricingOptions{APIKey: discovery.NewSecret("another." + billingKey)}
		_, _ = c.FetchGeminiPricing(t.Context(), other)
		s.set("cloudbilling", respond(recordedSKUs(t)))
		rows, _ = c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{APIKey: other.APIKey, Refresh: true})
		assert.Len(t, rows, 46, "Refresh ignores the pause")
	})
}

func TestCanceledPriceLookupReportsAFailure(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := recordedServer(t)
	rows, err := s.inProcess(discovery.WithStrictErrors()).FetchGeminiPricing(ctx, withKey)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, []discovery.ProviderPricing{}, rows)
	assert.Equal(t, []string{"gemini network"}, s.reasons())
	assert.Zero(t, s.count("cloudbilling"))
}

// The cache is bounded: with many keys it starts over, and the prices stay correct.
func TestPriceCacheIsBounded(t *testing.T) {
	t.Parallel()
	s := skuServer(skuOf("A", flashText, 750))
	c := s.inProcess()
	for range 2 {
		for i := range 100 {
			rows, err := c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{APIKey: discovery.NewSecret(fmt.Sprint("key-", i))})
			require.NoError(t, err)
			require.Len(t, rows, 1)
		}
	}
	assert.Equal(t, 200, s.count("cloudbilling"))
}

// Callers may change the returned rows.
func TestGeminiRowsAreCopies(t *testing.T) {
	t.Parallel()
	c := recordedServer(t).inProcess()
	read := func() []discovery.ProviderPricing {
		rows, err := c.FetchGeminiPricing(t.Context(), withKey)
		require.NoError(t, err)
		return rows
	}
	before := read()
	for _, row := range read() {
		for _, p := range []*float64{row.InputPerMTok, row.OutputPerMTok} {
			if p != nil {
				*p = -1
			}
		}
		*row.UsageUnit, *row.VerifiedAt = "", ""
	}
	q := discovery.GeminiPriceQuery{Direction: discovery.Input, PricingOptions: withKey}
	price, err := c.PricingForGeminiModel(t.Context(), "3.7 flash", q)
	require.NoError(t, err)
	*price = -1
	assert.Equal(t, before, read())
	price, _ = c.PricingForGeminiModel(t.Context(), "3.7 flash", q)
	assert.Equal(t, ptr(0.75), price)
}

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
)

func TestPricesAreKeptForADayPerKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := recorded(t)
		c := s.inProcess()
		fetch := func(key string, opts discovery.PricingOptions) {
			t.Helper()
			opts.APIKey = key
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
		assert.Equal(t, 2, s.count("cloudbilling"), "another key, another list")
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
	s := recorded(t)
	c := s.inProcess()
	c.InvalidatePricing()
	for _, row := range []struct {
		providers []discovery.Provider
		again     bool
	}{
		{nil, true}, {[]discovery.Provider{discovery.Gemini}, true}, {[]discovery.Provider{"Google"}, true},
		{[]discovery.Provider{discovery.Anthropic, discovery.Gemini}, true}, {[]discovery.Provider{discovery.Anthropic}, false}, {[]discovery.Provider{"nobody"}, false},
	} {
		_, _ = c.FetchGeminiPricing(t.Context(), withKey)
		before := s.count("cloudbilling")
		c.InvalidatePricing(row.providers...)
		_, _ = c.FetchGeminiPricing(t.Context(), withKey)
		assert.Equal(t, row.again, s.count("cloudbilling") > before, "%v", row.providers)
	}
}

// What a request brings that was under way when the cache was cleared goes to those who wait for it, and to nobody after.
func TestARequestFromBeforeInvalidatePricingIsNotKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan string)
		s := newSite(map[string]http.HandlerFunc{"cloudbilling": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(<-answer)) }})
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

func TestHoweverManyAskThereIsOneRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(map[string]http.HandlerFunc{"cloudbilling": func(w http.ResponseWriter, _ *http.Request) {
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
				assert.Equal(t, ref(0.75), price)
			})
		}
		all.Wait()
		assert.Equal(t, 1, s.count("cloudbilling"))
	})
}

// Two keys may see different prices: neither is ever shown the other's, not even when both ask at the same time.
func TestNobodySeesThePricesOfAnotherKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(map[string]http.HandlerFunc{"cloudbilling": func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			_, _ = w.Write([]byte(pageOf(early("A", flashText, 1000*len(r.Header.Get("X-Goog-Api-Key"))))))
		}})
		c := s.inProcess()
		var all sync.WaitGroup
		for i := range 60 {
			key := strings.Repeat("k", 1+i%3)
			all.Go(func() {
				rows, err := c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{APIKey: key})
				assert.NoError(t, err)
				assert.Equal(t, ref(float64(len(key))), rows[0].InputPerMTok)
			})
		}
		all.Wait()
		assert.Equal(t, 3, s.count("cloudbilling"), "one request for each key")
	})
}

// Whoever cannot wait gets nothing, and the others get their prices of the one request.
func TestACallerWhoLeavesDoesNotCostTheOthersTheirPrices(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(map[string]http.HandlerFunc{"cloudbilling": func(w http.ResponseWriter, _ *http.Request) {
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
			synctest.Wait() // the impatient one asks first
		}
		assert.Equal(t, []int{0, 1}, []int{<-lengths, <-lengths})
		assert.Equal(t, 1, s.count("cloudbilling"))
		assert.Equal(t, []string{"gemini timeout"}, s.reasons())
	})
}

// A failure does not replace a list that is still fresh, and without a pause the next call sends a request again.
func TestFailedPriceListKeepsTheLastOne(t *testing.T) {
	t.Parallel()
	s := newSite(map[string]http.HandlerFunc{"cloudbilling": refuses(503, "")})
	c := s.inProcess(discovery.WithOutageTTL(0))
	rows, err := c.FetchGeminiPricing(t.Context(), withKey)
	require.NoError(t, err)
	assert.Empty(t, rows)
	s.set("cloudbilling", says(recordedSKUs(t)))
	rows, err = c.FetchGeminiPricing(t.Context(), withKey)
	require.NoError(t, err)
	assert.Len(t, rows, 46)
	assert.Equal(t, []string{"gemini status"}, s.reasons())
	s.set("cloudbilling", refuses(503, ""))
	rows, err = c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{APIKey: billingKey, Refresh: true})
	require.NoError(t, err)
	assert.Empty(t, rows, "prices of before are not passed off as fresh ones")
	rows, _ = c.FetchGeminiPricing(t.Context(), withKey)
	assert.Len(t, rows, 46, "they are still fresh enough for a call without Refresh")
	assert.Equal(t, 3, s.count("cloudbilling"))
}

// After a failure no request is sent for the pause of WithOutageTTL, but every call reports the failure under its own name.
func TestFailedPriceListIsRememberedForAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(map[string]http.HandlerFunc{"cloudbilling": refuses(503, "")})
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

		s.set("cloudbilling", says(recordedSKUs(t)))
		time.Sleep(discovery.DefaultOutageTTL - time.Nanosecond)
		rows, _ := c.FetchGeminiPricing(t.Context(), withKey)
		assert.Empty(t, rows)
		time.Sleep(time.Nanosecond)
		rows, _ = c.FetchGeminiPricing(t.Context(), withKey)
		assert.Len(t, rows, 46)

		s.set("cloudbilling", refuses(503, ""))
		other := discovery.PricingOptions{APIKey: "another." + billingKey}
		_, _ = c.FetchGeminiPricing(t.Context(), other)
		s.set("cloudbilling", says(recordedSKUs(t)))
		rows, _ = c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{APIKey: other.APIKey, Refresh: true})
		assert.Len(t, rows, 46, "Refresh does not wait")
	})
}

func TestACallerWhoLeavesIsToldSo(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := recorded(t)
	rows, err := s.inProcess(discovery.WithStrictErrors()).FetchGeminiPricing(ctx, withKey)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, []discovery.ProviderPricing{}, rows)
	assert.Equal(t, []string{"gemini network"}, s.reasons())
	assert.Zero(t, s.count("cloudbilling"))
}

// A program that goes through many keys starts over now and then, and is right all the same.
func TestManyKeys(t *testing.T) {
	t.Parallel()
	s := priced(skuOf("A", flashText, 750))
	c := s.inProcess()
	for range 2 {
		for i := range 100 {
			rows, err := c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{APIKey: fmt.Sprint("key-", i)})
			require.NoError(t, err)
			require.Len(t, rows, 1)
		}
	}
	assert.Equal(t, 200, s.count("cloudbilling"))
}

// What a caller does to a row must not reach the next one.
func TestGeminiRowsAreTheCallersOwn(t *testing.T) {
	t.Parallel()
	c := recorded(t).inProcess()
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
	assert.Equal(t, ref(0.75), price)
}

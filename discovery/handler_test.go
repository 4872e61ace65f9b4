package discovery_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// The providers with live price lists, each with a model of its table.
var livePriced = map[discovery.Provider]string{discovery.XAI: "grok-4.7", discovery.Gemini: "gemini-2.5-pro"}

// A handler runs outside the shared request: otherwise the request would wait for the handler, and the handler for the request.
func TestFailureHandlerMayReadPrices(t *testing.T) {
	t.Parallel()
	for provider, model := range livePriced {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeServer(nil)
			var c *discovery.Client
			handled := 0
			c = s.inProcess(keyOf(discovery.ServiceXAI), keyOf(discovery.ServiceCloudBilling), discovery.WithFailureHandler(func(discovery.Failure) {
				if handled++; handled > 1 {
					return
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				rows, err := c.Prices(ctx, provider, model)
				assert.NoError(t, err, provider)
				assert.NotEmpty(t, rows, provider)
				assert.NoError(t, ctx.Err(), provider)
			}))
			began := time.Now()
			rows, err := c.Prices(t.Context(), provider, model)
			require.NoError(t, err)
			assert.NotEmpty(t, rows)
			assert.Equal(t, 1, handled, "the failure is reported once")
			assert.Zero(t, time.Since(began), "the handler did not wait for the request")
		})
	}
}

// A panic of a handler reaches the caller, and the failed list stays remembered.
func TestPanicOfAFailureHandlerReachesTheCallerOfPrices(t *testing.T) {
	t.Parallel()
	for provider, model := range livePriced {
		s := newFakeServer(nil)
		c := s.inProcess(keyOf(discovery.ServiceXAI), keyOf(discovery.ServiceCloudBilling), discovery.WithFailureHandler(func(discovery.Failure) { panic("handler") }))
		assert.PanicsWithValue(t, "handler", func() { _, _ = c.Prices(t.Context(), provider, model) })
		requests := s.count("xai") + s.count("cloudbilling")
		rows, err := c.Prices(t.Context(), provider, model)
		require.NoError(t, err)
		assert.NotEmpty(t, rows, provider)
		assert.Equal(t, requests, s.count("xai")+s.count("cloudbilling"), provider)
	}
}

// The two services of live retirements are read concurrently. A panic in one of those goroutines would end the process.
func TestPanicOfAFailureHandlerReachesTheCallerOfRetirements(t *testing.T) {
	t.Parallel()
	s := newFakeServer(nil)
	c := s.inProcess(keyOf(discovery.ServiceOpenAI), keyOf(discovery.ServiceAnthropic), discovery.WithFailureHandler(func(discovery.Failure) { panic("handler") }))
	assert.PanicsWithValue(t, "handler", func() { _, _ = c.Retirements(t.Context()) })
}

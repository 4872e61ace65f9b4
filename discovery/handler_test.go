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

// livePriced are the services with live price lists.
var livePriced = []discovery.Service{discovery.ServiceXAI, discovery.ServiceCloudBilling}

// A handler runs outside the shared request: otherwise the request would wait for the handler, and the handler for the request.
func TestFailureHandlerMayReadPrices(t *testing.T) {
	t.Parallel()
	for _, service := range livePriced {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeServer(nil)
			var c *discovery.Client
			handled := 0
			c = s.inProcess(keyOf(service), discovery.WithFailureHandler(func(discovery.Failure) {
				if handled++; handled > 1 {
					return
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				list, err := c.LivePrices(ctx, nil)
				assert.NoError(t, err)
				assert.NotNil(t, list)
				assert.NoError(t, ctx.Err())
			}))
			began := time.Now()
			list, err := c.LivePrices(t.Context(), nil)
			require.NoError(t, err)
			assert.NotNil(t, list)
			assert.Equal(t, 2, handled, "each caller reports the failure")
			assert.Zero(t, time.Since(began), "the handler did not wait for the request")
		})
	}
}

// A panic of a handler reaches the caller, and the failed list stays remembered.
func TestPanicOfAFailureHandlerReachesTheCallerOfPrices(t *testing.T) {
	t.Parallel()
	for _, service := range livePriced {
		s := newFakeServer(nil)
		c := s.inProcess(keyOf(service), discovery.WithFailureHandler(func(discovery.Failure) { panic("handler") }))
		for range 2 {
			assert.PanicsWithValue(t, "handler", func() { _, _ = c.LivePrices(t.Context(), nil) })
		}
		assert.Equal(t, 1, s.count("xai")+s.count("cloudbilling"), service)
	}
}

// The two services of live retirements are read concurrently. A panic in one of those goroutines would end the process.
func TestPanicOfAFailureHandlerReachesTheCallerOfRetirements(t *testing.T) {
	t.Parallel()
	s := newFakeServer(nil)
	c := s.inProcess(keyOf(discovery.ServiceOpenAI), keyOf(discovery.ServiceAnthropic), discovery.WithFailureHandler(func(discovery.Failure) { panic("handler") }))
	assert.PanicsWithValue(t, "handler", func() { _, _ = c.Retirements(t.Context()) })
}

package discoverytest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

func TestInvalidOptionsPanic(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]func() discoverytest.Option{
		"no such service": func() discoverytest.Option {
			return discoverytest.WithKeys(map[discovery.Service]string{"open-ai": key})
		},
		"page of nothing": func() discoverytest.Option { return discoverytest.WithPageSize(0) },
	} {
		assert.Panics(t, func() { discoverytest.Start(option()) }, name)
	}
	s := start(t, discoverytest.WithKeys(map[discovery.Service]string{discovery.ServiceXAI: ""}))
	assert.Equal(t, 400, s.call(discoverytest.ListXAIModels, "").Status, "an empty key is rejected")
}

func TestNilOptionIsIgnored(t *testing.T) {
	t.Parallel()
	assert.NotEmpty(t, discoverytest.New(t, nil).URL)
}

// The keys of WithKeys reach the client without the environment, so that tests can run in parallel.
func TestOptionsContainTheKeys(t *testing.T) {
	t.Parallel()
	s := start(t, discoverytest.WithKeys(map[discovery.Service]string{
		discovery.ServiceOpenAI: key, discovery.ServiceOpenAIAdmin: "admin-" + key, discovery.ServiceAnthropic: key,
		discovery.ServiceAnthropicAdmin: "anthropic-admin-" + key, discovery.ServiceCloudBilling: "billing-" + key,
	}))
	c, reasons := s.client()
	days, err := c.FetchOpenAICostBuckets(t.Context(), discovery.OpenAICostQuery{StartTime: 1730419200, EndTime: 1730419200 + 86400})
	require.NoError(t, err)
	assert.Len(t, days, 1)
	prices, err := c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{})
	require.NoError(t, err)
	assert.Len(t, prices, 46)
	assert.Empty(t, reasons())
	requests := s.Requests(discoverytest.ListOpenAICosts)
	require.Len(t, requests, 1)
	assert.Equal(t, "admin-"+key, requests[0].Keys["Authorization"].Reveal())
	_, err = c.FetchOpenAICostBuckets(t.Context(), discovery.OpenAICostQuery{StartTime: 1730419200, AdminKey: discovery.NewSecret(key)})
	require.NoError(t, err)
	day := discovery.AnthropicCostQuery{Start: time.Unix(1777593600, 0), End: time.Unix(1777593600+86400, 0)}
	days, err = c.FetchAnthropicCostBuckets(t.Context(), day)
	require.NoError(t, err)
	assert.Len(t, days, 1)
	day.AdminKey = discovery.NewSecret(key)
	_, err = c.FetchAnthropicCostBuckets(t.Context(), day)
	require.NoError(t, err)
	assert.Equal(t, []string{"openai denied", "anthropic denied"}, reasons(), "the key of the models is not the admin key")
}

// A service that has no operations here yet is here all the same: no client may reach the real one.
func TestOptionsCoverEveryService(t *testing.T) {
	t.Parallel()
	assert.Len(t, start(t).Options(), 9, "the catalog, the price table and seven services")
}

package discoverytest_test

import (
	"net/http"
	"strings"
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

func TestListen(t *testing.T) {
	t.Parallel()
	s, err := discoverytest.Listen(discoverytest.WithAddr("127.0.0.1:0"), discoverytest.WithoutRequestLog())
	require.NoError(t, err)
	defer s.Close()
	c, err := discovery.New(s.Options()...)
	require.NoError(t, err)
	models, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.NotEmpty(t, models)
	assert.Empty(t, s.Requests(), "WithoutRequestLog")

	addr := strings.TrimPrefix(s.URL, "http://")
	_, err = discoverytest.Listen(discoverytest.WithAddr(addr))
	require.Error(t, err, "the port is taken")
	assert.Panics(t, func() { discoverytest.Start(discoverytest.WithAddr(addr)) })
}

func TestFailIf(t *testing.T) {
	t.Parallel()
	s := discoverytest.New(t)
	s.FailIf(func(r discoverytest.Request) *discoverytest.Fault {
		if r.Operation == discoverytest.ListCatalog {
			return &discoverytest.Fault{Status: 503}
		}
		return nil
	})
	status := func(path string) int {
		resp, err := http.Get(s.URL + path)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp.StatusCode
	}
	assert.Equal(t, []int{503, 503, 200}, []int{status("/catalog/models"), status("/catalog/models"), status("/prices/prices.csv")})
	s.Heal()
	assert.Equal(t, 200, status("/catalog/models"))
}

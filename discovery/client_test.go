package discovery_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	mesh "github.com/mesh-gateway/mesh-go"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/zerovalue"
)

func TestZeroClientAndNilContextAreValueErrors(t *testing.T) {
	t.Parallel()
	operations := map[string]func(context.Context, *discovery.Client) error{
		"ListModels": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.ListModels(ctx, discovery.CatalogOptions{})
			return err
		},
		"IsModelSupported": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.IsModelSupported(ctx, "gpt-4o", discovery.CatalogOptions{})
			return err
		},
		"GetModelInfo": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.GetModelInfo(ctx, "gpt-4o", discovery.CatalogOptions{})
			return err
		},
		"Retirements": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.Retirements(ctx)
			return err
		},
		"FetchGeminiPricing": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.FetchGeminiPricing(ctx, discovery.PricingOptions{})
			return err
		},
		"PricingForGeminiModel": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.PricingForGeminiModel(ctx, "gemini-2.5-pro", discovery.GeminiPriceQuery{})
			return err
		},
		"LivePrices": func(ctx context.Context, c *discovery.Client) error {
			list, err := c.LivePrices(ctx, nil)
			assert.Equal(t, prices.BuiltIn(), list)
			return err
		},
		"FetchDeepSeekBalance": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.FetchDeepSeekBalance(ctx, discovery.BalanceOptions{})
			return err
		},
		"FetchOpenAICostBuckets": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.FetchOpenAICostBuckets(ctx, costQuery())
			return err
		},
		"FetchAnthropicCostBuckets": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.FetchAnthropicCostBuckets(ctx, reportQuery())
			return err
		},
		"ReconcileAnthropicCost": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.ReconcileAnthropicCost(ctx, reportQuery(), nil)
			return err
		},
		"ReconcileXAICost": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.ReconcileXAICost(ctx, discovery.XAICostQuery{}, nil)
			return err
		},
	}
	var none context.Context
	for name, operation := range operations {
		var wrong *discovery.ValueError
		assert.ErrorAs(t, operation(t.Context(), &discovery.Client{}), &wrong, name)
		assert.Equal(t, "Client", wrong.Field, name)
		assert.ErrorAs(t, operation(t.Context(), nil), &wrong, name)
		assert.Equal(t, "Client", wrong.Field, name)
		assert.ErrorAs(t, operation(none, newFakeServer(nil).inProcess()), &wrong, name)
		assert.Equal(t, "ctx", wrong.Field, name)
	}
}

func TestMethodsOfAZeroClient(t *testing.T) {
	t.Parallel()
	for _, c := range []*discovery.Client{nil, {}} {
		zerovalue.Check(t, c)
	}
}

// livePriced has the services with live price lists.
var livePriced = []discovery.Service{discovery.ServiceXAI, discovery.ServiceCloudBilling}

// The handler runs outside the shared request. Otherwise they would wait for each other.
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

// A handler's panic reaches the caller, and the failed list is still remembered.
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

// Live retirements are read from two services concurrently. A panic in one of those
// goroutines would end the process.
func TestPanicOfAFailureHandlerReachesTheCallerOfRetirements(t *testing.T) {
	t.Parallel()
	s := newFakeServer(nil)
	c := s.inProcess(keyOf(discovery.ServiceOpenAI), keyOf(discovery.ServiceAnthropic), discovery.WithFailureHandler(func(discovery.Failure) { panic("handler") }))
	assert.PanicsWithValue(t, "handler", func() { _, _ = c.Retirements(t.Context()) })
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
		t.Fatal("handler and request wait for each other")
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

func TestInvalidOptionsPanic(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		field  string
		option discovery.Option
	}{
		{"httpClient", discovery.WithHTTPClient(nil)},
		{"logger", discovery.WithLogger(nil)},
		{"handler", discovery.WithFailureHandler(nil)},
		{"maxBytes", discovery.WithMaxResponseBytes(0)},
		{"outageTTL", discovery.WithOutageTTL(-1)},
		{"service", discovery.WithBaseURL("acme", "http://x")},
		{"catalogURL", discovery.WithCatalogURL("catalog")},
		{"baseURL", discovery.WithBaseURL(discovery.ServiceOpenAI, "http://me:hunter2@x")},
		{"baseURL", discovery.WithBaseURL(discovery.ServiceXAI, "http://x/?key=hunter2")},
		{"baseURL", discovery.WithBaseURL(discovery.ServiceDeepSeek, "http://[::1/hunter2")},
		{"baseURL", discovery.WithBaseURL(discovery.ServiceGemini, "ftp://hunter2")},
	} {
		c, err := discovery.New(row.option)
		assert.Nil(t, c)
		requireValueError(t, err, row.field)
		assert.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), "hunter2")
	}
}

func TestNilOptionIsIgnored(t *testing.T) {
	t.Parallel()
	c, err := discovery.New(nil, discovery.WithStrictErrors(), nil)
	require.NoError(t, err)
	assert.NotNil(t, c)
}

func TestCatalogURLIsTheOptionElseTheEnvironment(t *testing.T) {
	requests := make(map[string]int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests[r.URL.Path]++
		assert.Equal(t, "mesh-go/"+mesh.Version, r.Header.Get("User-Agent"))
		assert.Empty(t, r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(twoModels))
	}))
	defer server.Close()
	t.Setenv("MESH_CATALOG_URL", server.URL+"/environment/")
	for _, opts := range [][]discovery.Option{nil, {discovery.WithCatalogURL(" " + server.URL + "/option/")}} {
		_, err := newClient(opts...).ListModels(t.Context(), discovery.CatalogOptions{})
		require.NoError(t, err)
	}
	assert.Equal(t, map[string]int{"/environment/models": 1, "/option/models": 1}, requests)
}

func TestDefaultReturnsOneClient(t *testing.T) {
	t.Parallel()
	first := discovery.Default()
	assert.Same(t, first, discovery.Default())
	assert.NotSame(t, discovery.Default(), newClient())
}

// If a password contains / or #, its start parses as a port or host and its rest as a
// path, which errors would show.
func TestMalformedCatalogURLShowsNoPassword(t *testing.T) {
	for _, address := range []string{
		"https://user:hunter/2@catalog.example", "https://user:hunter#2@catalog.example/x", "https://user:hunter?2@catalog.example",
		"https://user:7331/hunter@catalog.example", "https://user:7331#hunter@catalog.example", "https://user:7331?hunter@catalog.example",
		"https://user:hunter%zz@catalog.example", "https://user:hun<ter@catalog.example", "user:hunter@catalog.example", "https://user:hunter@",
		"https://hunter/2@catalog.example", "://hunter", "hunter",
	} {
		t.Setenv("MESH_CATALOG_URL", address)
		failures := ""
		c := newClient(discovery.WithLogger(discardLogger), discovery.WithStrictErrors(), discovery.WithFailureHandler(func(f discovery.Failure) { failures += f.Error() }),
			discovery.WithHTTPClient(&http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				assert.NotEqual(t, "user", r.URL.Hostname(), address)
				return nil, errors.New("offline")
			})}))
		_, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
		require.ErrorContains(t, err, "MESH_CATALOG_URL must be", address)
		for _, part := range []string{"hun", "7331", "user"} {
			assert.NotContains(t, strings.ReplaceAll(failures+err.Error(), "user info", ""), part, address)
		}
	}
	t.Setenv("MESH_CATALOG_URL", "https://user:hunter%2F2@catalog.example/base")
	c := newClient(discovery.WithLogger(discardLogger), discovery.WithHTTPClient(&http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		_, password, _ := r.BasicAuth()
		assert.Equal(t, "hunter/2", password)
		assert.Equal(t, "catalog.example", r.URL.Host)
		return nil, errors.New("offline")
	})}))
	_, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
}

package discovery_test

import (
	"context"
	"errors"
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

func TestProvidersHaveSeveralNamesInTheCatalog(t *testing.T) {
	t.Parallel()
	developers := map[models.Provider][]string{
		models.OpenAI: {"OpenAI", "Open AI"}, models.Gemini: {"Google", "google"}, models.XAI: {"x-ai", "grok"}, "Meta": {"Meta", ""},
	}
	var rows []string
	for _, names := range developers {
		for _, name := range names {
			rows = append(rows, fmt.Sprintf(`{"id":%q,"developer":%q}`, "by "+name, name))
		}
	}
	c := catalogServer("[" + strings.Join(rows, ",") + "]").inProcess()
	for _, p := range models.Providers() {
		list, err := c.ListModels(t.Context(), discovery.CatalogOptions{Provider: p})
		require.NoError(t, err)
		got := make([]string, 0, len(list))
		for _, m := range list {
			got = append(got, m.Developer)
		}
		assert.ElementsMatch(t, developers[p], got, p)
	}
}

// fixedKey gives a service a key.
func fixedKey(service discovery.Service, key string, err error) discovery.Option {
	return discovery.WithKey(service, func(context.Context) (string, error) { return key, err })
}

// sentKeys returns a handler that records every request's key and responds with body.
func sentKeys(mu *sync.Mutex, sent *[]string, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
			if key := r.Header.Get(name); key != "" {
				*sent = append(*sent, key)
			}
		}
		_, _ = w.Write([]byte(body))
	}
}

func TestKeysComeFromTheArgumentThenWithKeyThenTheEnvironment(t *testing.T) {
	const body = `{"is_available":true,"balance_infos":[{"currency":"USD","total_balance":"1","granted_balance":"0","topped_up_balance":"1"}]}`
	t.Setenv("DEEPSEEK_API_KEY", "environment")
	for name, row := range map[string]struct {
		argument string
		opts     []discovery.Option
		want     []string
		reasons  []string
	}{
		"argument":         {" argument ", []discovery.Option{fixedKey(discovery.ServiceDeepSeek, "function", nil)}, []string{"Bearer argument"}, nil},
		"function":         {" ", []discovery.Option{fixedKey(discovery.ServiceDeepSeek, " function\n", nil)}, []string{"Bearer function"}, nil},
		"environment":      {"", nil, []string{"Bearer environment"}, nil},
		"another service":  {"", []discovery.Option{fixedKey(discovery.ServiceXAI, "other", nil)}, []string{"Bearer environment"}, nil},
		"function without": {"", []discovery.Option{fixedKey(discovery.ServiceDeepSeek, "", nil)}, nil, []string{"deepseek missing_credential"}},
		"function failed":  {"", []discovery.Option{fixedKey(discovery.ServiceDeepSeek, "k", errors.New("vault is sealed: k"))}, nil, []string{"deepseek missing_credential"}},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var sent []string
			s := newFakeServer(map[string]http.HandlerFunc{"deepseek": sentKeys(&mu, &sent, body)})
			_, err := s.client(t, row.opts...).FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{APIKey: discovery.NewSecret(row.argument)})
			require.NoError(t, err)
			assert.Equal(t, row.want, sent)
			assert.Equal(t, row.reasons, s.reasons())
			if name == "function failed" {
				assert.ErrorContains(t, s.failures[0], "vault is sealed: [REDACTED]")
			}
		})
	}
}

func TestKeyFunctionReceivesTheContextOfTheCaller(t *testing.T) {
	t.Parallel()
	type tenant struct{}
	var mu sync.Mutex
	var sent []string
	s := newFakeServer(map[string]http.HandlerFunc{"catalog": respondStatus(500, ""), "xai": sentKeys(&mu, &sent, `{"data":[{"id":"grok-4.5"}]}`)})
	c := s.client(t, discovery.WithKey(discovery.ServiceXAI, func(ctx context.Context) (string, error) {
		name, _ := ctx.Value(tenant{}).(string)
		return name, nil
	}))
	models, err := c.ListModels(context.WithValue(t.Context(), tenant{}, "tenant-1"), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Len(t, models, 1)
	assert.Equal(t, []string{"Bearer tenant-1"}, sent)
}

// An admin key can manage a whole organization, so it's sent for costs only.
func TestAdminKeysAreNeverSentToAListOfModels(t *testing.T) {
	for _, name := range []string{"OPENAI_ADMIN_KEY", "ANTHROPIC_ADMIN_KEY", "XAI_MANAGEMENT_KEY", "GOOGLE_CLOUD_BILLING_API_KEY", "GOOGLE_CLOUD_API_KEY", "GOOGLE_API_KEY"} {
		t.Setenv(name, "admin")
	}
	s := providerServer(respondStatus(500, ""))
	c := s.client(t,
		fixedKey(discovery.ServiceOpenAIAdmin, "admin", nil), fixedKey(discovery.ServiceAnthropicAdmin, "admin", nil),
		fixedKey(discovery.ServiceXAIManagement, "admin", nil), fixedKey(discovery.ServiceCloudBilling, "admin", nil))
	models, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Empty(t, models)
	_, err = c.Retirements(t.Context())
	require.NoError(t, err)
	for _, name := range []string{"openai", "deepseek", "anthropic", "gemini", "xai"} {
		assert.Zero(t, s.count(name), name)
	}
}

func TestChatKeysAreNeverSentToBilling(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "XAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"} {
		t.Setenv(name, "chat")
	}
	s := newFakeServer(nil)
	c := s.client(t)
	_, err := c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{})
	require.NoError(t, err)
	_, err = c.FetchOpenAICostBuckets(t.Context(), discovery.OpenAICostQuery{StartTime: day1})
	require.NoError(t, err)
	_, err = c.FetchAnthropicCostBuckets(t.Context(), discovery.AnthropicCostQuery{Start: mayDay(1)})
	require.NoError(t, err)
	assert.Empty(t, s.requests)
	assert.Equal(t, []string{"gemini missing_credential", "openai missing_credential", "anthropic missing_credential"}, s.reasons())
}

func TestAdminServicesFollowTheBaseURLOfTheirProvider(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]discovery.Option{
		"proxy":  {discovery.WithBaseURL(discovery.ServiceOpenAI, "http://proxy")},
		"admin":  {discovery.WithBaseURL(discovery.ServiceOpenAI, "http://other"), discovery.WithBaseURL(discovery.ServiceOpenAIAdmin, "http://admin")},
		"admin2": {discovery.WithBaseURL(discovery.ServiceOpenAIAdmin, "http://admin2")},
	} {
		host := ""
		transport := roundTripper(func(r *http.Request) (*http.Response, error) {
			host = r.URL.Host
			return nil, errors.New("offline")
		})
		c := newClient(append(opts, discovery.WithLogger(discardLogger), discovery.WithHTTPClient(&http.Client{Transport: transport}))...)
		query := costQuery()
		query.AdminKey = discovery.NewSecret("k")
		_, err := c.FetchOpenAICostBuckets(t.Context(), query)
		require.NoError(t, err)
		assert.Equal(t, name, host)
	}
	sent := &recordingTransport{requests: make(map[string]http.Header)}
	c := newClient(discovery.WithBaseURL(discovery.ServiceAnthropic, "http://proxy/a"), discovery.WithLogger(discardLogger), discovery.WithHTTPClient(&http.Client{Transport: sent}))
	_, err := c.FetchAnthropicCostBuckets(t.Context(), reportQuery())
	require.NoError(t, err)
	assert.Contains(t, sent.requests, "GET http://proxy/a/v1/organizations/cost_report")
}

func TestWithKeyRejectsAnUnknownServiceAndANilFunction(t *testing.T) {
	t.Parallel()
	for field, option := range map[string]discovery.Option{
		"service": fixedKey("meta", "k", nil),
		"keyFunc": discovery.WithKey(discovery.ServiceXAI, nil),
	} {
		_, err := discovery.New(option)
		requireValueError(t, err, field)
	}
}

// The catalog fails, so xAI's list is requested, and its key comes from a function that
// needs the catalog itself.
func TestKeyFunctionThatNeedsTheCatalogEnds(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		detach bool
		took   time.Duration
		reason string
	}{
		"with its own context": {false, 0, "would deadlock: "},
		"with another context": {true, 30 * time.Second, "no key within 30s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var c *discovery.Client
			failures := make(chan discovery.Failure, 10)
			offline := roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("offline") })
			c = newClient(discovery.WithLogger(discardLogger), discovery.WithHTTPClient(&http.Client{Transport: offline}),
				discovery.WithFailureHandler(func(f discovery.Failure) { failures <- f }),
				discovery.WithKey(discovery.ServiceXAI, func(ctx context.Context) (string, error) {
					if row.detach {
						ctx = context.Background()
					}
					models, err := c.ListModels(ctx, discovery.CatalogOptions{})
					assert.Empty(t, models)
					assert.NoError(t, err)
					return "", errors.New("no models")
				}))
			begin := time.Now()
			models, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
			require.NoError(t, err)
			assert.Empty(t, models, name)
			assert.Equal(t, row.took, time.Since(begin), name)
			synctest.Wait()
			close(failures)
			texts := ""
			for f := range failures {
				texts += f.Error() + "\n"
			}
			assert.Contains(t, texts, row.reason, name)
		})
	}
}

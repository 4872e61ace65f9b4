// Package sdks_test drives discoverytest with the providers' official SDKs and compares
// every value they read with package discovery's. It's a separate module, so that no SDK
// becomes a dependency of mesh-go.
package sdks_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// keyOf returns a key that the server accepts only for this service.
func keyOf(service discovery.Service) string { return "key of " + string(service) }

// start uses small pages, so that every SDK has to read several.
func start(t *testing.T) *discoverytest.Server {
	t.Helper()
	keys := make(map[discovery.Service]string)
	for _, service := range []discovery.Service{
		discovery.ServiceOpenAI, discovery.ServiceOpenAIAdmin, discovery.ServiceDeepSeek, discovery.ServiceAnthropic,
		discovery.ServiceAnthropicAdmin, discovery.ServiceGemini, discovery.ServiceCloudBilling, discovery.ServiceXAI,
	} {
		keys[service] = keyOf(service)
	}
	return discoverytest.New(t, discoverytest.WithKeys(keys), discoverytest.WithPageSize(5))
}

// newClient makes every Failure an error.
func newClient(s *discoverytest.Server) *discovery.Client {
	return client(append(s.Options(), discovery.WithStrictErrors()))
}

func client(opts []discovery.Option) *discovery.Client {
	c, err := discovery.New(opts...)
	if err != nil {
		panic(err) // a test server's options are valid
	}
	return c
}

// listed maps id to model, as package discovery reads them from the provider's list.
func listed(t *testing.T, s *discoverytest.Server, p models.Provider) map[string]discovery.ModelInfo {
	t.Helper()
	s.Fail(discoverytest.ListCatalog, discoverytest.Fault{Status: 503, Times: -1})
	// not strict, because the catalog is expected to fail
	infos, err := client(s.Options()).ListModels(t.Context(), discovery.CatalogOptions{Provider: p})
	check(t, err)
	byID := make(map[string]discovery.ModelInfo, len(infos))
	for _, info := range infos {
		if info.Source != string(p) {
			t.Fatalf("%s is from %s, want %s", info.ID, info.Source, p)
		}
		byID[info.ID] = info
	}
	if len(byID) == 0 {
		t.Fatal("no models for", p)
	}
	return byID
}

// retirements returns the registry with live dates.
func retirements(t *testing.T, s *discoverytest.Server) discovery.Registry {
	t.Helper()
	registry, err := newClient(s).Retirements(t.Context())
	check(t, err)
	return maps.Collect(registry.All())
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same compares what package discovery and an SDK have read.
func same[T comparable](t *testing.T, what string, got, sdk T) {
	t.Helper()
	if got != sdk {
		t.Errorf("%s: discovery has %v, the SDK has %v", what, got, sdk)
	}
}

// sameIDs compares model ids, in any order.
func sameIDs(t *testing.T, got map[string]discovery.ModelInfo, sdk []string) {
	t.Helper()
	if ids := slices.Sorted(maps.Keys(got)); !slices.Equal(ids, slices.Sorted(slices.Values(sdk))) {
		t.Fatalf("discovery lists %q, the SDK %q", ids, sdk)
	}
}

// value returns the zero value for nil, because SDKs decode an unknown value as that.
func value[T any](p *T) (zero T) {
	if p == nil {
		return zero
	}
	return *p
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

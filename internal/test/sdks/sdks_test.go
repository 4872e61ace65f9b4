// Package sdks_test drives discoverytest with the official SDKs of the providers, and compares every value that they read with
// what package discovery reads. It is a module of its own, so that no SDK becomes a dependency of mesh-go.
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

// keyOf returns a key that the server accepts for one service only.
func keyOf(service discovery.Service) string { return "key of " + string(service) }

// start starts a server with small pages, so that every SDK has to read several.
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

// newClient returns a client of the server. Every Failure is an error.
func newClient(s *discoverytest.Server) *discovery.Client {
	return client(append(s.Options(), discovery.WithStrictErrors()))
}

func client(opts []discovery.Option) *discovery.Client {
	c, err := discovery.New(opts...)
	if err != nil {
		panic(err) // the options of a test server are valid
	}
	return c
}

// listed returns the models that package discovery reads from the provider itself, by id.
func listed(t *testing.T, s *discoverytest.Server, p models.Provider) map[string]discovery.ModelInfo {
	t.Helper()
	s.Fail(discoverytest.ListCatalog, discoverytest.Fault{Status: 503, Times: -1})
	// Not strict: the failure of the catalog is expected.
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
		t.Fatal("no models of", p)
	}
	return byID
}

// retirements returns the registry with the live dates.
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

// same fails the test when what package discovery read differs from what the SDK read.
func same[T comparable](t *testing.T, what string, got, sdk T) {
	t.Helper()
	if got != sdk {
		t.Errorf("%s: discovery has %v, the SDK has %v", what, got, sdk)
	}
}

// sameIDs compares the ids of the models, in any order.
func sameIDs(t *testing.T, got map[string]discovery.ModelInfo, sdk []string) {
	t.Helper()
	if ids := slices.Sorted(maps.Keys(got)); !slices.Equal(ids, slices.Sorted(slices.Values(sdk))) {
		t.Fatalf("discovery lists %q, the SDK %q", ids, sdk)
	}
}

// value returns what a pointer points to. nil is not known, which the SDKs decode as the zero value.
func value[T any](p *T) (zero T) {
	if p == nil {
		return zero
	}
	return *p
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

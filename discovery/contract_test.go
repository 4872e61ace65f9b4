package discovery_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/contract"
)

// checked sends every request through the checker of the document it belongs to, which is the first part of its path.
type checked struct {
	checkers map[string]*contract.Checker
	report   func(error)
}

func (c *checked) RoundTrip(req *http.Request) (*http.Response, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	checker, ok := c.checkers[name]
	if !ok {
		c.report(fmt.Errorf("%s belongs to no document", req.URL.Path))
		return http.DefaultTransport.RoundTrip(req)
	}
	return checker.Transport(http.DefaultTransport, "/"+name, c.report).RoundTrip(req)
}

// Everything the package sends keeps to the documents, and the documents know every answer.
func TestEveryExchangeKeepsToItsDocument(t *testing.T) {
	setKeys(t)
	c := &checked{checkers: make(map[string]*contract.Checker), report: func(err error) { t.Error(err) }}
	for _, name := range []string{"catalog", "openai", "deepseek", "anthropic", "gemini", "xai"} {
		checker, err := contract.New(name)
		require.NoError(t, err)
		c.checkers[name] = checker
	}
	server := discoverytest.New(t, discoverytest.WithPageSize(3))
	client := discovery.New(append(server.Options(),
		discovery.WithHTTPClient(&http.Client{Transport: c}), discovery.WithLogger(quiet), discovery.WithOutageTTL(0))...)
	for range 2 { // the second time with an ETag
		_, err := client.ListModels(t.Context(), discovery.CatalogOptions{Refresh: true})
		require.NoError(t, err)
	}
	server.Fail(discoverytest.ListCatalog, discoverytest.Fault{Status: http.StatusBadGateway, Body: "busy"})
	models, err := client.ListModels(t.Context(), discovery.CatalogOptions{Refresh: true})
	require.NoError(t, err)
	assert.Greater(t, len(models), 40, "the five lists, page after page")
	_, err = client.Retirements(t.Context())
	require.NoError(t, err)
	for _, name := range []string{"catalog", "deepseek", "anthropic", "gemini", "xai"} {
		assert.NotContains(t, c.checkers[name].Unexercised(), "listModels", name)
	}
	for _, r := range server.Requests() {
		assert.Empty(t, r.QueryKeys, "no key in a URL")
		_, err := url.ParseQuery(r.Query.Encode())
		require.NoError(t, err)
	}
}

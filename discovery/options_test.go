package discovery_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	mesh "github.com/mesh-gateway/mesh-go"
	"github.com/mesh-gateway/mesh-go/discovery"
)

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

// What follows a / or # in a password is a path, and what precedes it a port or a host, which errors show.
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

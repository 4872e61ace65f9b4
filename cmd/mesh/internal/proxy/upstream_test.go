package proxy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// upstream is an API's URL and provider.
type upstream struct {
	url      string
	provider models.Provider
}

func TestUpstreams(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flags []string
		env   map[string]string
		want  map[models.Provider]upstream // API -> upstream, unless it's the official one
	}{
		"official":         {nil, nil, nil},
		"empty variable":   {nil, map[string]string{"OPENAI_BASE_URL": ""}, nil},
		"regional":         {nil, map[string]string{"OPENAI_BASE_URL": "https://eu.api.openai.com/v1"}, map[models.Provider]upstream{"openai": {"https://eu.api.openai.com/v1", "openai"}}},
		"another provider": {nil, map[string]string{"OPENAI_BASE_URL": "https://API.DeepSeek.com:443/v1"}, map[models.Provider]upstream{"openai": {"https://API.DeepSeek.com:443/v1", "deepseek"}}},
		"no provider":      {nil, map[string]string{"ANTHROPIC_BASE_URL": "http://localhost:4000/"}, map[models.Provider]upstream{"anthropic": {"http://localhost:4000/", ""}}},
		"similar name":     {nil, map[string]string{"OPENAI_BASE_URL": "https://notapi.openai.com"}, map[models.Provider]upstream{"openai": {"https://notapi.openai.com", ""}}},
		"flag":             {[]string{"OpenAI=http://proxy/v1"}, map[string]string{"OPENAI_BASE_URL": "http://other"}, map[models.Provider]upstream{"openai": {"http://proxy/v1", "openai"}}},
		"fake": {
			nil, map[string]string{"MESH_PROVIDERS_URL": "http://127.0.0.1:1/", "OPENAI_BASE_URL": "http://127.0.0.1:1/openai/v1", "ANTHROPIC_BASE_URL": "http://127.0.0.1:12/anthropic"},
			map[models.Provider]upstream{"openai": {"http://127.0.0.1:1/openai/v1", "openai"}, "anthropic": {"http://127.0.0.1:12/anthropic", ""}},
		},
		"flag for the host": {
			[]string{"xai=http://proxy/x"}, map[string]string{"OPENAI_BASE_URL": "http://proxy/v1"},
			map[models.Provider]upstream{"openai": {"http://proxy/v1", "xai"}, "xai": {"http://proxy/x", "xai"}},
		},
		"flags for one host": {
			[]string{"openai=http://proxy", "gemini=http://proxy"}, nil,
			map[models.Provider]upstream{"openai": {"http://proxy", "openai"}, "gemini": {"http://proxy", "gemini"}},
		},
	} {
		list, err := proxy.Upstreams(c.flags, nil, func(name string) string { return c.env[name] })
		require.NoError(t, err, name)
		require.Len(t, list, 5, name)
		for _, u := range list {
			want, changed := c.want[u.API]
			if !changed {
				want = upstream{u.URL.String(), u.API}
			}
			assert.Equal(t, want, upstream{u.URL.String(), u.Provider}, "%s: %s", name, u.API)
		}
	}
}

// A URL has a port even if it's implicit.
func TestHostNamesUpstream(t *testing.T) {
	t.Parallel()
	for host, named := range map[string]bool{"llm.example.com": true, "LLM.example.com:443": true, "llm.example.com:99": false} {
		list, err := proxy.Upstreams(nil, []string{host}, func(name string) string {
			return map[string]string{"OPENAI_BASE_URL": "https://llm.example.com/v1"}[name]
		})
		require.NoError(t, err, host)
		assert.Equal(t, named, list[0].ByHost, host)
	}
}

func TestWrongUpstreams(t *testing.T) {
	t.Parallel()
	const password = "a-password"
	for _, text := range []string{"", "api.openai.com", "ftp://host", "http://", "http://:80", "http://me:" + password + "@host", "http://host?key=" + password, "http://host#" + password, "http://host:" + password} {
		_, err := proxy.Upstreams([]string{"openai=" + text}, nil, func(string) string { return "" })
		require.ErrorContains(t, err, "--upstream openai: must ", text)
		assert.NotContains(t, err.Error(), password)
		_, err = proxy.Upstreams(nil, nil, func(name string) string { return map[string]string{"OPENAI_BASE_URL": text}[name] })
		if text != "" {
			require.ErrorContains(t, err, "OPENAI_BASE_URL: must ", text)
			assert.NotContains(t, err.Error(), password)
		}
	}
	_, err := proxy.Upstreams([]string{"none=http://host"}, nil, func(string) string { return "" })
	assert.ErrorContains(t, err, "--upstream must be PROVIDER=URL")
}

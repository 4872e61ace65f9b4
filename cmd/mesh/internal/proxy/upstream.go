package proxy

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// Upstream is an API behind the proxy.
type Upstream struct {
	// Provider is the name of the API in the paths of the proxy.
	Provider discovery.Provider
	// Variable is the variable of the environment from which programs read the base URL; "" if there is none.
	Variable string
	// URL is the base URL that programs would use without the proxy.
	URL *url.URL
	// Named reports whether the user named the provider of the URL.
	Named bool
}

// known are the APIs whose base URL programs read from their environment. DeepSeek and xAI have none: programs use OPENAI_BASE_URL
// for them.
var known = []struct {
	provider      discovery.Provider
	variable, url string
}{
	{discovery.OpenAI, "OPENAI_BASE_URL", "https://api.openai.com/v1"},
	{discovery.Anthropic, "ANTHROPIC_BASE_URL", "https://api.anthropic.com"},
	{discovery.Gemini, "GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com"},
	{discovery.DeepSeek, "", "https://api.deepseek.com"},
	{discovery.XAI, "", "https://api.x.ai/v1"},
}

// Upstreams returns the APIs: at the URL of a flag PROVIDER=URL, else of the variable, else of the provider.
func Upstreams(flags []string, lookup func(string) (string, bool)) ([]Upstream, error) {
	list := make([]Upstream, 0, len(known))
	for _, k := range known {
		text := k.url
		if value, ok := lookup(k.variable); k.variable != "" && ok && value != "" {
			text = value
		}
		base, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.variable, err)
		}
		list = append(list, Upstream{Provider: k.provider, Variable: k.variable, URL: base})
	}
	for _, flag := range flags {
		name, text, _ := strings.Cut(flag, "=")
		p, err := discovery.ParseProvider(name)
		if err != nil {
			return nil, err
		}
		base, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("--upstream %s: %w", p, err)
		}
		i := slices.IndexFunc(list, func(u Upstream) bool { return u.Provider == p })
		list[i].URL, list[i].Named = base, true
	}
	return list, nil
}

// parse returns a base URL. An error does not show it: it may have a password.
func parse(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, errors.New("must be a URL such as https://api.openai.com/v1")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("must not have a user, a query or a fragment")
	}
	return u, nil
}

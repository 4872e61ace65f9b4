package meter

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// endpoints returns what --host and --azure say about hosts, and the hosts of --host: HOST or HOST:PORT.
func (o *Options) endpoints() (opts []meter.Option, hosts []string, err error) {
	for _, flag := range o.hosts {
		e, err := o.parseHost(flag)
		if err != nil {
			return nil, nil, err
		}
		opts, hosts = append(opts, meter.WithEndpoint(e)), append(hosts, e.Host)
	}
	if o.azure != "" {
		kind := meter.Endpoint{Platform: prices.PlatformAzure, Region: o.azure}
		if !isValid(kind) {
			return nil, nil, exit.Usagef("--azure %q must be global, data-zone or regional: the kind of the deployments that the calls are for", o.azure)
		}
		opts = append(opts, meter.WithEndpoint(kind))
	}
	return opts, hosts, nil
}

// isValid reports whether a Meter accepts an endpoint.
func isValid(e meter.Endpoint) bool {
	_, err := meter.New(meter.WithEndpoint(e))
	return err == nil
}

// platforms are those whose private endpoints --host can name.
var platforms = []prices.Platform{prices.PlatformOpenRouter, prices.PlatformBedrock, prices.PlatformVertex, prices.PlatformAzure}

// parseHost reads HOST=API[:NAME] or HOST=PLATFORM[:REGION]. An error does not show a HOST that is wrong, which may be a URL with a password.
func (o *Options) parseHost(flag string) (meter.Endpoint, error) {
	host, rest, _ := strings.Cut(flag, "=")
	e := meter.Endpoint{Host: host}
	if err := proxy.CheckHost(host); err != nil {
		return e, exit.Usagef("--host must be HOST=API or HOST=API:NAME, as in api.groq.com=openai:groq: HOST %w", err)
	}
	api, name, named := strings.Cut(rest, ":")
	if p := prices.Platform(strings.ToLower(api)); slices.Contains(platforms, p) {
		e.Platform, e.Region = p, name
		if p == prices.PlatformAzure {
			e.Region = cmp.Or(name, o.azure)
		}
		if !isValid(e) {
			return e, exit.Usagef("--host %s: REGION %q must be global, data-zone or regional", host, e.Region)
		}
		return e, nil
	}
	e.API = models.Provider(strings.ToLower(api))
	if !isValid(e) {
		return e, exit.Usagef("--host %s: API %q must be openai, deepseek, anthropic, gemini, xai, converse, invoke, cohere or ollama, or a platform: openrouter, bedrock, vertex or azure", host, api)
	}
	e.Provider = models.Provider(name)
	if !isValid(e) || (named && name == "") {
		return e, exit.Usagef("--host %s: NAME %q must be a provider or a name of yours: at most 64 lower-case letters, digits, dots and hyphens", host, name)
	}
	return e, nil
}

package meter

import (
	"fmt"
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
	switch kinds := []string{"global", "data-zone", "regional"}; {
	case slices.Contains(kinds, o.azure):
		opts = append(opts, meter.WithEndpoint(meter.Endpoint{Platform: prices.PlatformAzure, Region: o.azure}))
	case o.azure != "":
		return nil, nil, exit.Usagef("--azure %q must be global, data-zone or regional: the kind of the deployments that the calls are for", o.azure)
	}
	return opts, hosts, nil
}

// parseHost reads HOST=API[:NAME] or HOST=PLATFORM[:REGION]. An error does not show a HOST that is wrong, which may be a URL with a password.
func (o *Options) parseHost(flag string) (meter.Endpoint, error) {
	host, rest, _ := strings.Cut(flag, "=")
	if err := proxy.CheckHost(host); err != nil {
		return meter.Endpoint{}, exit.Usagef("--host must be HOST=API or HOST=API:NAME, as in api.groq.com=openai:groq: HOST %w", err)
	}
	api, name, named := strings.Cut(rest, ":")
	if p := prices.Platform(strings.ToLower(api)); slices.Contains(platforms, p) {
		return o.parsePlatform(host, p, name)
	}
	form, err := parseForm(api)
	if err != nil {
		return meter.Endpoint{}, exit.Usagef("--host %s: %w", host, err)
	}
	e := meter.Endpoint{Host: host, API: form, Provider: models.Provider(name)}
	if _, err := meter.New(meter.WithEndpoint(e)); err != nil || (named && name == "") {
		return e, exit.Usagef("--host %s: NAME %q must be a provider or a name of yours: at most 64 lower-case letters, digits, dots and hyphens", host, name)
	}
	return e, nil
}

// platforms are those whose private endpoints --host can name.
var platforms = []prices.Platform{prices.PlatformOpenRouter, prices.PlatformBedrock, prices.PlatformVertex, prices.PlatformAzure}

// parsePlatform returns the endpoint of HOST=PLATFORM[:REGION].
func (o *Options) parsePlatform(host string, p prices.Platform, region string) (meter.Endpoint, error) {
	if region == "" && p == prices.PlatformAzure {
		region = o.azure
	}
	e := meter.Endpoint{Host: host, Platform: p, Region: region}
	if _, err := meter.New(meter.WithEndpoint(e)); err != nil {
		return e, exit.Usagef("--host %s: REGION %q must be global, data-zone or regional", host, region)
	}
	return e, nil
}

// parseForm returns the form of bodies with a name.
func parseForm(name string) (models.Provider, error) {
	others := []models.Provider{prices.FormConverse, prices.FormInvoke, prices.FormCohere, prices.FormOllama}
	if form := models.Provider(strings.ToLower(name)); slices.Contains(others, form) {
		return form, nil
	}
	p, err := models.ParseProvider(name)
	if err != nil {
		return "", fmt.Errorf("API %q must be openai, deepseek, anthropic, gemini, xai, %s, %s, %s or %s, or a platform: openrouter, bedrock, vertex or azure", name, others[0], others[1], others[2], others[3])
	}
	return p, nil
}

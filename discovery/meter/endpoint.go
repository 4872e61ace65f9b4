package meter

import (
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Endpoint is a host whose calls a Meter counts; see [WithEndpoint].
type Endpoint struct {
	// Host is a host such as "llm-proxy.internal", which matches all ports, or a host with its port such as "127.0.0.1:8080". It may be
	// "" with a Platform: then the official hosts of the platform have the Region.
	Host string
	// API is the form of the bodies: one of the five providers, whose APIs many hosts have, "converse" or "invoke" (Bedrock), "cohere" or
	// "ollama". With [models.OpenAI], a path of one of the other APIs shows its form, since many hosts have several. API may be "" with a
	// Platform, whose paths show the form.
	API models.Provider
	// Provider is the name of the prices and of the records: one of the five, or a name of rows of [prices.List.With], at most 64
	// lower-case letters, digits, dots and hyphens. "" is API, or with a Platform the developer of the model.
	Provider models.Provider
	// Platform is the platform that the host belongs to, for proxies and private endpoints; "" is no platform.
	Platform prices.Platform
	// Region is the location that prices the calls where the path has none; for Azure the kind of the deployments: "global", "data-zone"
	// or "regional".
	Region string
}

// WithEndpoint makes the Meter count the calls to a host, at the prices of a provider. The API is recognized by the end of a request's path,
// so a proxy must keep the ends of the paths. The official hosts of the five providers, of OpenRouter, Bedrock, Vertex and Azure are
// known. No response of Azure shows the kind of the deployment, without which the call has no known cost:
//
//	meter.WithEndpoint(meter.Endpoint{Platform: prices.PlatformAzure, Region: "global"})
//	meter.WithEndpoint(meter.Endpoint{Host: "api.groq.com", API: models.OpenAI, Provider: "groq"})
func WithEndpoint(e Endpoint) Option {
	return func(m *config) error {
		host, err := e.check()
		if err != nil {
			return err
		}
		if e.Host == "" {
			m.regions[host.Platform] = host.Region
		} else {
			m.hosts[strings.ToLower(e.Host)] = host
		}
		return nil
	}
}

// WithHost makes the Meter count the calls to a host, such as "llm-proxy.internal" or "127.0.0.1:8080", at the prices of one of the five
// providers. It is [WithEndpoint] with the API of the provider.
func WithHost(host string, provider models.Provider) Option {
	return func(m *config) error {
		if host == "" {
			return errHost
		}
		return WithEndpoint(Endpoint{Host: host, API: provider})(m)
	}
}

// A URL may have a password, so the error does not show it.
var errHost = invalid("host", "", "must be a host or host:port")

// check returns the endpoint as the paths are read.
func (e *Endpoint) check() (host endpoints.Endpoint, err error) {
	host = endpoints.Endpoint{Platform: string(e.Platform), Region: strings.ToLower(e.Region)}
	switch e.Platform {
	case "", prices.PlatformOpenRouter, prices.PlatformBedrock, prices.PlatformVertex, prices.PlatformAzure:
	default:
		return host, invalid("Platform", string(e.Platform), "must be a Platform")
	}
	if strings.ContainsAny(e.Host, "/@? ") || (e.Host == "" && (e.Platform == "" || e.Region == "")) {
		return host, errHost
	}
	if e.API != "" || e.Platform == "" {
		if host.Form, err = form(e.API); err != nil {
			return host, err
		}
	}
	kinds := []string{"", "global", "data-zone", "regional"}
	if e.Platform == prices.PlatformAzure && !slices.Contains(kinds, host.Region) {
		return host, invalid("Region", e.Region, "must be global, data-zone or regional")
	}
	host.Provider, err = e.provider(host.Form)
	return host, err
}

// form returns the form of the bodies of an API.
func form(api models.Provider) (string, error) {
	if slices.Contains(usage.Forms, string(api)) {
		return string(api), nil
	}
	known, err := models.ParseProvider(string(api))
	return string(known), err
}

// provider returns the name of the prices in its own spelling.
func (e *Endpoint) provider(form string) (string, error) {
	switch {
	case e.Provider == "" && e.Platform != "":
		return "", nil
	case e.Provider == "":
		return form, nil
	}
	name := modelid.Canonical(string(e.Provider))
	if !modelid.IsName(name) {
		return "", invalid("Provider", name, modelid.UnknownName())
	}
	return name, nil
}

package prices

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Platform is who bills a call if that is not the developer of the model. "" is the developer's own API.
type Platform string

// The platforms whose prices are known, as far as docs/providers.md lists them.
const (
	// PlatformOpenRouter is OpenRouter, which states the charge of each call (Usage.ChargedUSD).
	PlatformOpenRouter Platform = "openrouter"
	// PlatformBedrock is Amazon Bedrock.
	PlatformBedrock Platform = "bedrock"
	// PlatformVertex is Google Cloud's Vertex AI.
	PlatformVertex Platform = "vertex"
	// PlatformAzure is Azure OpenAI and Microsoft Foundry.
	PlatformAzure Platform = "azure"
)

// charges reports whether a charge in a response is what the platform bills. On others it is the developer's own price, as in the usage
// of Grok on Azure.
func (p Platform) charges() bool { return p == "" || p == PlatformOpenRouter }

// place returns where the call was made.
func (c *Call) place() pricelist.Place {
	return pricelist.Place{Platform: string(c.Platform), Region: strings.ToLower(c.Region), Profile: strings.ToLower(c.Profile)}
}

// providerName returns the name of a provider: one of the five in its own spelling, or any name of 1 to 64 lower-case letters, digits,
// dots and hyphens.
func providerName(p models.Provider, field string) (models.Provider, error) {
	if known := modelid.Lookup(p); known != nil {
		return models.Provider(known.ID), nil
	}
	if !modelid.IsName(string(p)) {
		return "", invalid(field, string(p), modelid.UnknownName())
	}
	return p, nil
}

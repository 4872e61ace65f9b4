package discovery

import (
	"context"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Service is an API that has its own base URL ([WithBaseURL]) and key ([WithKey]).
type Service string

// The services, with the variable of the environment that has the key. Those named after a provider list its models. The others
// have separate keys with more rights. The key of DeepSeek's balance may also be in the file that DEEPSEEK_LEGACY_ENV_PATH names.
const (
	ServiceOpenAI         Service = "openai"         // OPENAI_API_KEY
	ServiceOpenAIAdmin    Service = "openaiadmin"    // OPENAI_ADMIN_KEY: billed costs
	ServiceDeepSeek       Service = "deepseek"       // DEEPSEEK_API_KEY: also the balance
	ServiceAnthropic      Service = "anthropic"      // ANTHROPIC_API_KEY
	ServiceAnthropicAdmin Service = "anthropicadmin" // ANTHROPIC_ADMIN_KEY: billed costs
	ServiceGemini         Service = "gemini"         // GEMINI_API_KEY
	ServiceCloudBilling   Service = "cloudbilling"   // GOOGLE_CLOUD_BILLING_API_KEY, else GOOGLE_CLOUD_API_KEY: Google's list prices
	ServiceXAI            Service = "xai"            // XAI_API_KEY
	ServiceXAIManagement  Service = "xaimanagement"  // XAI_MANAGEMENT_KEY: billed costs
	ServicePrices         Service = "prices"         // the price table of this project, which needs no key
)

// providerInfo describes the APIs of a provider.
type providerInfo struct {
	provider models.Provider
	// services has the service that lists the models first. A service without a base URL has the base URL of the first.
	services []serviceInfo
	// list returns the provider's own list of models.
	list func(*Client, context.Context, request) ([]ModelInfo, *Failure)
	// refusedKey has the texts by which a status of 400 means that the key was refused.
	refusedKey []string
}

// serviceInfo is one API of a provider.
type serviceInfo struct {
	service Service
	baseURL string
	// keyNames are the environment variables for the key, in the order in which they are read.
	keyNames []string
}

// providerTable has a row for each provider, and one for the service of none, which has no key and so no list of models. A new provider
// is a row here, a document in specs/, a list in lists.go, and its names and the rules for its ids in internal/modelid.
var providerTable = []providerInfo{
	{
		provider: models.OpenAI, list: (*Client).listOpenAI,
		services: []serviceInfo{
			{service: ServiceOpenAI, baseURL: "https://api.openai.com", keyNames: []string{"OPENAI_API_KEY"}},
			{service: ServiceOpenAIAdmin, keyNames: []string{"OPENAI_ADMIN_KEY"}},
		},
	},
	{
		provider: models.DeepSeek, list: (*Client).listDeepSeek,
		services: []serviceInfo{
			{service: ServiceDeepSeek, baseURL: "https://api.deepseek.com", keyNames: []string{"DEEPSEEK_API_KEY"}},
		},
	},
	{
		provider: models.Anthropic, list: (*Client).listAnthropic,
		services: []serviceInfo{
			{service: ServiceAnthropic, baseURL: "https://api.anthropic.com", keyNames: []string{"ANTHROPIC_API_KEY"}},
			{service: ServiceAnthropicAdmin, keyNames: []string{"ANTHROPIC_ADMIN_KEY"}},
		},
	},
	{
		provider: models.Gemini, list: (*Client).listGemini,
		services: []serviceInfo{
			{service: ServiceGemini, baseURL: "https://generativelanguage.googleapis.com", keyNames: []string{"GEMINI_API_KEY"}},
			// GOOGLE_API_KEY is a chat key and must not reach the billing service.
			{
				service: ServiceCloudBilling, baseURL: "https://cloudbilling.googleapis.com",
				keyNames: []string{"GOOGLE_CLOUD_BILLING_API_KEY", "GOOGLE_CLOUD_API_KEY"},
			},
		},
		refusedKey: []string{"API_KEY_INVALID", "API key not valid"},
	},
	{
		provider: models.XAI, list: (*Client).listXAI,
		services: []serviceInfo{
			{service: ServiceXAI, baseURL: "https://api.x.ai", keyNames: []string{"XAI_API_KEY"}},
			{service: ServiceXAIManagement, baseURL: "https://management-api.x.ai", keyNames: []string{"XAI_MANAGEMENT_KEY"}},
		},
		refusedKey: []string{"Incorrect API key"},
	},
	{services: []serviceInfo{
		{service: ServicePrices, baseURL: "https://raw.githubusercontent.com/mesh-gateway/mesh-go/main/discovery/prices"},
	}},
}

// lookupService returns the rows of a service, or nil.
func lookupService(service Service) (*providerInfo, *serviceInfo) {
	for i := range providerTable {
		for j := range providerTable[i].services {
			if providerTable[i].services[j].service == service {
				return &providerTable[i], &providerTable[i].services[j]
			}
		}
	}
	return nil, nil
}

// developedBy reports whether the developer of a catalog row is the provider, which must be known.
func developedBy(provider models.Provider, developer string) bool {
	return modelid.Lookup(developer) == modelid.Lookup(provider)
}

package discovery

import (
	"context"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Service is an API that has its own base URL ([WithBaseURL]) and key ([WithKey]).
type Service string

// Services, with the environment variable for the key. A service named after a provider
// lists its models. The other keys are separate and have more rights. DeepSeek's balance
// key may also be in the file named by DEEPSEEK_LEGACY_ENV_PATH.
const (
	ServiceOpenAI         Service = "openai"         // OPENAI_API_KEY
	ServiceOpenAIAdmin    Service = "openaiadmin"    // OPENAI_ADMIN_KEY: billed costs
	ServiceDeepSeek       Service = "deepseek"       // DEEPSEEK_API_KEY: also the balance
	ServiceAnthropic      Service = "anthropic"      // ANTHROPIC_API_KEY
	ServiceAnthropicAdmin Service = "anthropicadmin" // ANTHROPIC_ADMIN_KEY: billed costs
	ServiceGemini         Service = "gemini"         // GEMINI_API_KEY
	ServiceCloudBilling   Service = "cloudbilling"   // GOOGLE_CLOUD_BILLING_API_KEY, or else GOOGLE_CLOUD_API_KEY: Google's list prices
	ServiceXAI            Service = "xai"            // XAI_API_KEY
	ServiceXAIManagement  Service = "xaimanagement"  // XAI_MANAGEMENT_KEY: billed costs
	ServiceFacts          Service = "facts"          // this project's facts, which need no key
)

// providerInfo describes a provider's APIs.
type providerInfo struct {
	provider models.Provider
	// The first service lists the models. Services without a base URL share the first
	// one's.
	services []serviceInfo
	// list returns the provider's own model list.
	list func(*Client, context.Context, request) ([]ModelInfo, *Failure)
	// refusedKey has texts that show that a 400 means a refused key.
	refusedKey []string
}

type serviceInfo struct {
	service Service
	baseURL string
	// keyNames are environment variables, in the order they are tried.
	keyNames []string
}

// providerTable has a row per provider, and one for services without a provider, which
// have no key and so no model list. A new provider needs a row here, a document in
// specs/, a list in lists.go, and its names and id rules in internal/modelid.
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
			// GOOGLE_API_KEY is a chat key and must not reach the billing service
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
		{service: ServiceFacts, baseURL: "https://raw.githubusercontent.com/mesh-gateway/mesh-go/facts"},
	}},
}

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

// developedBy compares a catalog row's developer with a known provider.
func developedBy(provider models.Provider, developer string) bool {
	return modelid.Lookup(developer) == modelid.Lookup(provider)
}

package discovery

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
)

// Provider is a company that offers models. Functions that take a Provider accept every spelling that [ParseProvider] accepts;
// results contain one of the constants.
type Provider string

// The providers.
const (
	OpenAI    Provider = "openai"
	DeepSeek  Provider = "deepseek"
	Anthropic Provider = "anthropic"
	Gemini    Provider = "gemini"
	XAI       Provider = "xai"
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

// providerInfo is one row of the provider table.
type providerInfo struct {
	provider Provider
	// name is the provider's own spelling, the Developer of the models that it lists itself.
	name string
	// aliases are further names, folded by foldName: developers in the catalog, prefixes of ids, names of models.
	aliases []string
	// ids has the spelling rules for model ids.
	ids *modelid.Dialect
	// services has the service that lists the models first. A service without a base URL shares that of the first.
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

// providerTable has a row for each provider. A new provider is a row here, a document in specs/, a list in lists.go and the rules
// for its ids in internal/modelid.
var providerTable = []providerInfo{
	{
		provider: OpenAI, name: "OpenAI", ids: modelid.OpenAI, list: (*Client).listOpenAI,
		services: []serviceInfo{
			{service: ServiceOpenAI, baseURL: "https://api.openai.com", keyNames: []string{"OPENAI_API_KEY"}},
			{service: ServiceOpenAIAdmin, keyNames: []string{"OPENAI_ADMIN_KEY"}},
		},
	},
	{
		provider: DeepSeek, name: "DeepSeek", aliases: []string{"deepseekai"}, ids: modelid.DeepSeek, list: (*Client).listDeepSeek,
		services: []serviceInfo{
			{service: ServiceDeepSeek, baseURL: "https://api.deepseek.com", keyNames: []string{"DEEPSEEK_API_KEY"}},
		},
	},
	{
		provider: Anthropic, name: "Anthropic", aliases: []string{"claude"}, ids: modelid.Anthropic, list: (*Client).listAnthropic,
		services: []serviceInfo{
			{service: ServiceAnthropic, baseURL: "https://api.anthropic.com", keyNames: []string{"ANTHROPIC_API_KEY"}},
			{service: ServiceAnthropicAdmin, keyNames: []string{"ANTHROPIC_ADMIN_KEY"}},
		},
	},
	{
		provider: Gemini, name: "Google", aliases: []string{"google"}, ids: modelid.Gemini, list: (*Client).listGemini,
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
		provider: XAI, name: "xAI", aliases: []string{"grok"}, ids: modelid.XAI, list: (*Client).listXAI,
		services: []serviceInfo{
			{service: ServiceXAI, baseURL: "https://api.x.ai", keyNames: []string{"XAI_API_KEY"}},
			{service: ServiceXAIManagement, baseURL: "https://management-api.x.ai", keyNames: []string{"XAI_MANAGEMENT_KEY"}},
		},
		refusedKey: []string{"Incorrect API key"},
	},
}

// pricesInfo is the service of no provider.
var pricesInfo = serviceInfo{
	service: ServicePrices, baseURL: "https://raw.githubusercontent.com/mesh-gateway/mesh-go/main/discovery/internal/pricelist",
}

// Providers returns all providers, in a fixed order.
func Providers() []Provider {
	all := make([]Provider, len(providerTable))
	for i := range providerTable {
		all[i] = providerTable[i].provider
	}
	return all
}

// ParseProvider returns the provider of that name: its own ("openai"), a developer of the catalog ("Open AI", "DeepSeek AI",
// "Google"), a prefix of model ids ("x-ai"), or "claude" and "grok". Case, blanks, hyphens, underscores and dots are ignored.
// Any other name is a [*ValueError].
func ParseProvider(provider string) (Provider, error) {
	if row := lookupProvider(provider); row != nil {
		return row.provider, nil
	}
	return "", unknownProvider("provider", provider)
}

func unknownProvider(field, name string) error {
	names := make([]string, len(providerTable))
	for i := range providerTable {
		names[i] = string(providerTable[i].provider)
	}
	return &ValueError{Field: field, Value: showable(name), Reason: "is not one of " + strings.Join(names, ", ")}
}

// ProviderOf returns the provider of a model, from its id alone, in any spelling: "gpt-4o", "x-ai/grok-3",
// "us.anthropic.claude-opus-4-5-20251101-v1:0". It returns false if the id does not have the form of any provider's ids. The
// model need not exist.
func ProviderOf(model string) (Provider, bool) {
	for i := range providerTable {
		if providerTable[i].ids.Owns(model) {
			return providerTable[i].provider, true
		}
	}
	return "", false
}

// NormalizeModelID returns the id that the provider itself uses for a model, without vendor prefix, platform suffix and build:
// "openai/o3-mini-2025-01-31" is "o3-mini", "x-ai/grok-4-5" is "grok-4.5". docs/providers.md, "Model names", has the rules.
//
// The result is in lower case, never longer than id, never empty unless id is, and normalizing it again changes nothing. If only
// a vendor or family name would remain, id is returned trimmed; so is an id of an unknown provider or of more than 256 bytes.
//
// Without its build an id may have another price, other limits and another retirement date. Look up the original id first.
func NormalizeModelID(p Provider, id string) string { return dialect(p).Normalize(id) }

// NormalizeXAIModelID is [NormalizeModelID] for [XAI].
func NormalizeXAIModelID(id string) string { return NormalizeModelID(XAI, id) }

// NormalizeDeepSeekModelID is [NormalizeModelID] for [DeepSeek].
func NormalizeDeepSeekModelID(id string) string { return NormalizeModelID(DeepSeek, id) }

// lookupProvider returns the row of a provider by any of its names, or nil.
func lookupProvider(name string) *providerInfo {
	for i := range providerTable {
		if name == string(providerTable[i].provider) {
			return &providerTable[i]
		}
	}
	folded := foldName(name)
	for i := range providerTable {
		if folded == string(providerTable[i].provider) || slices.Contains(providerTable[i].aliases, folded) {
			return &providerTable[i]
		}
	}
	return nil
}

// dialect returns the spelling rules of a provider; nil, whose methods accept no id, for an unknown one.
func dialect(p Provider) *modelid.Dialect {
	if row := lookupProvider(string(p)); row != nil {
		return row.ids
	}
	return nil
}

// lookupService returns the rows of a service, or nil.
func lookupService(service Service) (*providerInfo, *serviceInfo) {
	if service == ServicePrices {
		return &providerInfo{}, &pricesInfo
	}
	for i := range providerTable {
		for j := range providerTable[i].services {
			if providerTable[i].services[j].service == service {
				return &providerTable[i], &providerTable[i].services[j]
			}
		}
	}
	return nil, nil
}

// developedBy reports whether the developer of a catalog row is the provider.
func developedBy(provider Provider, developer string) bool {
	row := lookupProvider(developer)
	return row != nil && row == lookupProvider(string(provider))
}

// canonical returns p in its own spelling; an unknown provider is returned unchanged.
func (p Provider) canonical() Provider {
	if row := lookupProvider(string(p)); row != nil {
		return row.provider
	}
	return p
}

// foldName removes case, blanks and punctuation, in which the spellings of a name differ.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("-_.", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// maxShownName is the length of the longest invalid name that an error shows. Keys are longer.
const maxShownName = 32

// showable returns name, or "" for one that could be a key pasted into the wrong place.
func showable(name string) string {
	if len(name) > maxShownName {
		return ""
	}
	return name
}

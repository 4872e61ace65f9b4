package discovery

import (
	"strings"
	"unicode"
)

// Provider is the company that makes a model. The constants are its only values; [ParseProvider] reads other spellings.
// The functions of this package take a Provider in any of those spellings too.
type Provider string

// The five providers. The source document calls OpenAI A, DeepSeek B, Anthropic C, Gemini (and Google Cloud Billing) D, and
// XAI E.
const (
	OpenAI    Provider = "openai"
	DeepSeek  Provider = "deepseek"
	Anthropic Provider = "anthropic"
	Gemini    Provider = "gemini"
	XAI       Provider = "xai"
)

// providers lists them in the order of the source document.
var providers = []Provider{OpenAI, DeepSeek, Anthropic, Gemini, XAI}

// Service is an API that this package asks, as [WithBaseURL] takes it. Google's model list and its price list are two
// services, and so are xAI's model list and its bills.
type Service string

// The services (SPEC.md, "Catalog sources" and "Discovery operations").
const (
	ServiceOpenAI        Service = "openai"
	ServiceDeepSeek      Service = "deepseek"
	ServiceAnthropic     Service = "anthropic"
	ServiceGemini        Service = "gemini"
	ServiceCloudBilling  Service = "cloudbilling"
	ServiceXAI           Service = "xai"
	ServiceXAIManagement Service = "xaimanagement"
)

// knownNames is how providers are called, folded: the adapters' names, the catalog's developers (WIRE.md section 1) and
// the names of their models.
var knownNames = map[string]Provider{
	"openai":     OpenAI,
	"deepseek":   DeepSeek,
	"deepseekai": DeepSeek,
	"anthropic":  Anthropic,
	"claude":     Anthropic,
	"gemini":     Gemini,
	"google":     Gemini,
	"xai":        XAI,
	"grok":       XAI,
}

// ParseProvider reads the name of a provider: its own ("openai"), a developer of the catalog ("Open AI", "X AI",
// "DeepSeek AI", "Google"), a prefix of model ids ("x-ai"), or "claude" and "grok". Case, blanks, hyphens, underscores and
// dots make no difference. Anything else is a [*ValueError] (WIRE.md section 1, developer spellings).
//
// It is safe for concurrent use.
func ParseProvider(name string) (Provider, error) {
	if p, ok := knownNames[foldName(name)]; ok {
		return p, nil
	}
	return "", &ValueError{Field: "provider", Value: showable(name), Reason: "is not one of openai, deepseek, anthropic, gemini, xai"}
}

// developedBy says whether the developer of a catalog row is the provider.
func developedBy(provider Provider, developer string) bool {
	p, known := knownNames[foldName(developer)]
	return known && p == provider.canonical()
}

// canonical is p in its own spelling; an unknown one stays as it is.
func (p Provider) canonical() Provider {
	if known, ok := knownNames[foldName(string(p))]; ok {
		return known
	}
	return p
}

// foldName takes out of a name what spellings differ in.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("-_.", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// longestName is the longest bad name that an error shows. No provider's is as long, and every key is longer.
const longestName = 32

// showable is name, unless it could be a key that was pasted into the wrong place.
func showable(name string) string {
	if len(name) > longestName {
		return ""
	}
	return name
}

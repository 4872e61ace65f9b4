package pricelist

import (
	"cmp"
	"strings"
)

// sourceNames maps the codes of the column sources to texts.
var sourceNames = map[string]string{ //nolint:gosec // no credentials
	"pi": "pi-ai 1.5.2", "modelsdev": "models.dev", "genai": "genai-prices 0.1.8", "litellm": "litellm", "llmprices": "llm-prices",
	"portkey": "Portkey's model list", "openrouter": "OpenRouter's price list", "vercel": "Vercel's price list", "langfuse": "Langfuse's price list", "helicone": "Helicone's price list",
	"new-api": "new-api", "tokenmeter": "TokenMeter 0.13", "guide": "'s guides", "sdk": "'s SDK", "recorded": "charges of recorded responses", "web": "pages that quote the provider",
}

var companies = map[string]string{
	"openai": "OpenAI", "deepseek": "DeepSeek", "anthropic": "Anthropic", "gemini": "Google", "xai": "xAI",
}

// promotion is the code of a price that may end on a day that no source has.
const promotion = "+promotion"

// describe returns the codes of the column sources as a text for people.
func describe(provider, codes string) string {
	if codes, ok := strings.CutSuffix(codes, promotion); ok {
		return describe(provider, codes) + "; a promotional price, which was guaranteed through 2026-11-21"
	}
	page := companies[provider] + "'s pricing page"
	var own, others []string
	for _, code := range strings.Split(codes, "+") {
		switch code {
		case "page":
			own = append(own, page)
		case "claudit":
			own = append(own, page+", as carried by kurofune/claudit 1.9.2")
		case "guide", "sdk":
			own = append(own, companies[provider]+sourceNames[code])
		case "":
		default:
			others = append(others, cmp.Or(sourceNames[code], code)) // a later table may have further sources
		}
	}
	switch {
	case len(own) > 0:
		return strings.Join(append(own[:1], others...), "; ")
	case len(others) == 0:
		return "no two sources agree on a price"
	case codes == "recorded":
		return sourceNames[codes]
	case codes == "web": // at least two pages
		return "third-party " + sourceNames[codes] + ", not confirmed on " + page
	case len(others) == 1:
		return "a single third-party table, " + others[0] + ", not confirmed on " + page
	}
	return "third-party tables (" + strings.Join(others, ", ") + "), not confirmed on " + page
}

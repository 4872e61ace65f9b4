package modelid

import (
	"slices"
	"strings"
	"unicode"
)

// Provider has the names of a provider, and the spelling rules for the ids of its models.
type Provider struct {
	// ID is the name in results, such as "openai".
	ID string
	// Name is the provider's own spelling, the Developer of the models that it lists itself.
	Name string
	// Rules are the spelling rules for model ids.
	Rules *Dialect
	// aliases are further names, folded by fold: developers in the catalog, prefixes of ids, names of models.
	aliases []string
}

var providers = []*Provider{
	{ID: "openai", Name: "OpenAI", Rules: OpenAI},
	{ID: "deepseek", Name: "DeepSeek", Rules: DeepSeek, aliases: []string{"deepseekai"}},
	{ID: "anthropic", Name: "Anthropic", Rules: Anthropic, aliases: []string{"claude"}},
	{ID: "gemini", Name: "Google", Rules: Gemini, aliases: []string{"google"}},
	{ID: "xai", Name: "xAI", Rules: XAI, aliases: []string{"grok"}},
}

// Providers returns all providers, in a fixed order. The caller must not change the list.
func Providers() []*Provider { return providers }

// Lookup returns a provider by any of its names, or nil. Case, blanks, hyphens, underscores and dots are ignored.
func Lookup[P ~string](name P) *Provider {
	folded := string(name)
	if !slices.ContainsFunc(providers, func(p *Provider) bool { return p.ID == folded }) { // fold takes longer
		folded = fold(folded)
	}
	for _, p := range providers {
		if folded == p.ID || slices.Contains(p.aliases, folded) {
			return p
		}
	}
	return nil
}

// OwnerOf returns the provider whose ids have the form of id, or nil.
func OwnerOf(id string) *Provider {
	for _, p := range providers {
		if p.Rules.Owns(id) {
			return p
		}
	}
	return nil
}

// Canonical returns the ID of the provider of that name. An unknown name is returned unchanged.
func Canonical[P ~string](name P) P {
	if p := Lookup(name); p != nil {
		return P(p.ID)
	}
	return name
}

// RulesOf returns the spelling rules of the provider of that name; nil, whose methods accept no id, for an unknown one.
func RulesOf[P ~string](name P) *Dialect {
	if p := Lookup(name); p != nil {
		return p.Rules
	}
	return nil
}

// IsName reports whether a name may be the one of a provider that is not in the table, such as "groq" or "llm.internal".
func IsName(name string) bool {
	const longest = 64
	return name != "" && len(name) <= longest && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.-") == ""
}

// Unknown returns the reason of the error of an argument that must name a provider.
func Unknown() string {
	ids := make([]string, len(providers))
	for i, p := range providers {
		ids[i] = p.ID
	}
	return "is not one of " + strings.Join(ids, ", ")
}

// UnknownName returns the reason of the error of an argument that may have another name than those of the table, too.
func UnknownName() string {
	return Unknown() + " and no name of at most 64 lower-case letters, digits, dots and hyphens"
}

// fold removes case, blanks and punctuation, in which the spellings of a name differ.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("-_.", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// FormOf returns whose form a usage object has: api, or else the provider. A name other than the five is a host with the
// API of OpenAI.
func FormOf(api, provider string) string {
	switch {
	case api != "":
		return api
	case Lookup(provider) == nil:
		return "openai"
	}
	return provider
}

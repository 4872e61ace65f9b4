package modelid

import (
	"slices"
	"strings"
	"unicode"
)

// Provider has a provider's names, and the spelling rules for its model ids.
type Provider struct {
	// ID is the name in results, such as "openai".
	ID string
	// Name is the provider's own spelling, and the Developer in its own model list.
	Name  string
	Rules *Dialect
	// aliases are further names, folded by fold: catalog developers, id prefixes, model
	// names.
	aliases []string
}

var providers = []*Provider{
	{ID: "openai", Name: "OpenAI", Rules: OpenAI},
	{ID: "deepseek", Name: "DeepSeek", Rules: DeepSeek, aliases: []string{"deepseekai"}},
	{ID: "anthropic", Name: "Anthropic", Rules: Anthropic, aliases: []string{"claude"}},
	{ID: "gemini", Name: "Google", Rules: Gemini, aliases: []string{"google"}},
	{ID: "xai", Name: "xAI", Rules: XAI, aliases: []string{"grok"}},
}

// Providers returns all providers in a fixed order. The list must not be modified.
func Providers() []*Provider { return providers }

// Lookup returns a provider by any of its names, or nil. It ignores case, spaces,
// hyphens, underscores and dots.
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

// OwnerOf returns the provider whose ids look like id, or nil.
func OwnerOf(id string) *Provider {
	for _, p := range providers {
		if p.Rules.Owns(id) {
			return p
		}
	}
	return nil
}

// Canonical returns the named provider's ID, or name itself if it's unknown.
func Canonical[P ~string](name P) P {
	if p := Lookup(name); p != nil {
		return P(p.ID)
	}
	return name
}

// RulesOf returns the named provider's rules. For an unknown name it returns nil, whose
// methods accept no id.
func RulesOf[P ~string](name P) *Dialect {
	if p := Lookup(name); p != nil {
		return p.Rules
	}
	return nil
}

// IsName reports whether name is valid for a provider that isn't in the table, such as
// "groq" or "llm.internal".
func IsName(name string) bool {
	const longest = 64
	return name != "" && len(name) <= longest && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.-") == ""
}

// Unknown returns the error reason for an argument that must name a provider.
func Unknown() string { return "is not one of " + ids() }

// UnknownName returns the error reason for an argument that may also be another valid
// name.
func UnknownName() string {
	return "must be " + ids() + ", or another name of at most 64 lower-case letters, digits, dots and hyphens"
}

func ids() string {
	all := make([]string, len(providers))
	for i, p := range providers {
		all[i] = p.ID
	}
	return strings.Join(all, ", ")
}

// fold removes the differences between spellings: case, spaces and punctuation.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("-_.", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// FormOf returns a usage object's form: api if set, or else the provider. An unknown
// provider is a host with OpenAI's API, so its form is "openai".
func FormOf(api, provider string) string {
	switch {
	case api != "":
		return api
	case Lookup(provider) == nil:
		return "openai"
	}
	return provider
}

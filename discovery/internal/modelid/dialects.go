package modelid

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mesh-gateway/mesh-go/discovery/internal/lazy"
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

// idRule rewrites an id or returns it unchanged.
type idRule func(id string) string

// replacing returns a rule that replaces the matches of pattern.
func replacing(pattern, with string) idRule {
	re := lazy.Regexp(pattern)
	return func(id string) string { return re().ReplaceAllString(id, with) }
}

// containing returns rule for ids that contain part, which every match of the rule must contain. Most ids do not, and a regular
// expression takes a microsecond to find that out.
func containing(part string, rule idRule) idRule {
	return func(id string) string {
		if !strings.Contains(id, part) {
			return id
		}
		return rule(id)
	}
}

// renaming returns a rule for one id.
func renaming(from, to string) idRule {
	return func(id string) string {
		if id == from {
			return to
		}
		return id
	}
}

// withoutPrefixes returns a rule that removes the given beginnings, in any order and any number of times.
func withoutPrefixes(prefixes ...string) idRule {
	return func(id string) string {
		for before := ""; before != id; {
			before = id
			for _, prefix := range prefixes {
				id = strings.TrimPrefix(id, prefix)
			}
		}
		return id
	}
}

// withoutSuffix returns a rule that removes one of the given ends.
func withoutSuffix(suffixes ...string) idRule {
	return func(id string) string {
		for _, suffix := range suffixes {
			if base, ok := strings.CutSuffix(id, suffix); ok {
				return base
			}
		}
		return id
	}
}

// versioned returns rule for ids of which it leaves a version: grok-beta, gemini-flash-latest and claude-opus-latest are ids of
// their own.
func versioned(rule idRule) idRule {
	return func(id string) string {
		if base := rule(id); strings.ContainsAny(base, "0123456789") {
			return base
		}
		return id
	}
}

// dotting returns a rule that writes the version after base with a dot if it is one of the given ones: gpt-4-1-mini becomes
// gpt-4.1-mini.
func dotting(base string, versions ...string) idRule {
	return func(id string) string {
		rest, ok := strings.CutPrefix(id, base+"-")
		if !ok {
			return id
		}
		version, _, _ := strings.Cut(rest, "-")
		if slices.Contains(versions, version) {
			return base + "." + rest
		}
		return id
	}
}

// variant removes the suffixes that OpenRouter adds to any id.
var variant = withoutSuffix(":free", ":beta", ":thinking", ":nitro")

// Resold reports whether id is one of a marketplace: it has the prefix of another vendor or the suffix of a variant. The
// provider's prices do not hold there.
func (d *Dialect) Resold(id string) bool {
	id = foldID(strings.TrimSpace(id))
	vendor := id[:strings.LastIndex(id, "/")+1]
	return variant(id) != id || (d != nil && d.withoutVendor != nil && d.withoutVendor(vendor) != "")
}

// OpenAI has the rules for OpenAI. Words in an id (-mini, -chat-latest, -audio, -search-preview) are part of it, and so is a date
// in the middle (gpt-4-1106-preview).
var OpenAI = &Dialect{
	owned: openAIOwned,
	spelling: []idRule{
		variant,
		withoutPrefixes("openai/"),
		// Only the versions that OpenAI writes with a dot and the catalog sometimes with a hyphen.
		dotting("gpt-3", "5"),
		containing("gpt-35", replacing(`^gpt-35-`, "gpt-3.5-")), // Azure's
		dotting("gpt-4", "1", "5"),
		dotting("gpt-5", "1", "2", "3", "4", "5", "6"),
		dotting("gpt-6", "1", "2"),
	},
	builds: []idRule{
		func(id string) string { base, _ := FineTuneBase(id); return base },
		containing("-20", replacing(`-`+year+`-`+month+`-`+day+`$`, "")),
		baseOfShortBuild,
	},
	guesses: []idRule{undotted, dotted},
}

// FineTuneBase returns the model that a fine-tune was made from, and whether id is a fine-tune: ft:BASE:ORGANISATION:NAME:ID.
func FineTuneBase(id string) (base string, ok bool) {
	rest, ok := strings.CutPrefix(id, "ft:")
	base, _, found := strings.Cut(rest, ":")
	if !ok || !found || base == "" {
		return id, false
	}
	return base, true
}

// WithoutDeployment returns id without the deployment that old responses name after a colon: gpt-3.5-turbo-instruct:20230824-v2 is
// gpt-3.5-turbo-instruct. It is no spelling rule, because davinci:2023-07-21-v2 is not the older model davinci. A fine-tune is
// unchanged: its base is behind a colon, too.
func WithoutDeployment(id string) string {
	base, deployment, found := strings.Cut(id, ":")
	if !found || base == "ft" || deployment == "" || deployment[0] < '0' || deployment[0] > '9' {
		return id
	}
	return base
}

// shortBuilds are the builds dated by month and day. A pattern would also match other ids.
var shortBuilds = map[string]string{
	"gpt-3.5-turbo-0125":     "gpt-3.5-turbo",
	"gpt-3.5-turbo-0301":     "gpt-3.5-turbo",
	"gpt-3.5-turbo-0613":     "gpt-3.5-turbo",
	"gpt-3.5-turbo-1106":     "gpt-3.5-turbo",
	"gpt-3.5-turbo-16k-0613": "gpt-3.5-turbo-16k",
	"gpt-4-0314":             "gpt-4",
	"gpt-4-0613":             "gpt-4",
	"gpt-4-32k-0314":         "gpt-4-32k",
	"gpt-4-32k-0613":         "gpt-4-32k",
}

func baseOfShortBuild(id string) string {
	if base, ok := shortBuilds[id]; ok {
		return base
	}
	return id
}

// families are the lines of Claude models.
const families = `opus|sonnet|haiku|fable|mythos`

// Anthropic has the rules for Anthropic. -fast and -preview are part of an id.
var Anthropic = &Dialect{
	owned: anthropicOwned,
	spelling: []idRule{
		variant,
		containing("projects/", replacing(`^(?:(?:us|eu|apac|global|jp|au|us-gov)\.anthropic\.|anthropic[./]|(?:projects/[^/]+/locations/[^/]+/)?publishers/anthropic/models/)+`, "")),
		withoutPrefixes("us.anthropic.", "eu.anthropic.", "apac.anthropic.", "global.anthropic.", "jp.anthropic.", "au.anthropic.",
			"us-gov.anthropic.", "anthropic.", "anthropic/", "publishers/anthropic/models/"),
		withoutSuffix("[1m]"),
		containing("-v", versioned(replacing(`-v\d+(:\d+)?$`, ""))), // Bedrock's; nothing would be left of claude-v2:1
		withoutSuffix("@latest", "@default"),
		containing("@20", replacing(`@(`+year+month+day+`)$`, "-${1}")), // Google Cloud's
		versioned(withoutSuffix("-latest")),
		// Claude 1 and 2 have a dot in their real ids.
		containing(".", replacing(`-([3-9]|[1-9]\d)\.(\d)`, "-${1}-${2}")),
		// The version precedes the family in 3.x and follows it from 4 on. Eight digits are a date, not a version.
		replacing(`^claude-([4-9]|[1-9]\d)((?:-\d{1,2})?)-(`+families+`)(-.*)?$`, "claude-${3}-${1}${2}${4}"),
		containing("-3", replacing(`^claude-(`+families+`)-(3(?:-\d{1,2})?)(-.*)?$`, "claude-${2}-${1}${3}")),
		containing("-0", replacing(`^(claude-(?:`+families+`)-\d{1,2})-0(-.*)?$`, "${1}${2}")),
	},
	builds: []idRule{
		containing("-20", versioned(replacing(`-`+year+month+day+`$`, ""))),
	},
	guesses: []idRule{undotted, dotted},
}

// Gemini has the rules for Google. Those for builds apply to gemini-1 and later only: the 001 of an embedding, of Imagen and of
// Veo is part of the id. So is -preview without a date; see Rewrites.
var Gemini = &Dialect{
	owned: geminiOwned,
	spelling: []idRule{
		variant,
		containing("projects/", replacing(`^(?:google/|gemini/|models/|publishers/google/models/|projects/(?:[^/]+/)*?models/)+`, "")),
		withoutPrefixes("google/", "gemini/", "models/", "publishers/google/models/"),
		replacing(`^(gemini-\d)-(\d)(-.*)$`, "${1}.${2}${3}"),
		containing("-latest", replacing(`^(gemini-\d.*?)-latest$`, "${1}")),
	},
	builds: []idRule{
		containing("-00", replacing(`^(gemini-\d.*?)-00[12]$`, "${1}")),
		containing("-preview-", replacing(`^(gemini-\d.*?)-preview-`+month+`-(?:`+day+`|`+year+`)$`, "${1}")),
		containing("-exp-", replacing(`^(gemini-\d.*?)-exp-`+month+`-?`+day+`$`, "${1}")),
	},
	// A preview may have become the model it was a preview of, or it is still the only one, so this is tried last.
	guesses: []idRule{undotted, dotted, replacing(`^(.*gemini-\d.*)-preview$`, "${1}")},
}

// DeepSeek has the rules for DeepSeek.
var DeepSeek = &Dialect{
	owned:         deepSeekOwned,
	withoutVendor: withoutDeepSeek,
	spelling: []idRule{
		variant,
		withoutDeepSeek,
		containing("/deepseek-", replacing(`^(?:[^/]+/)+(deepseek-.*)$`, "${1}")), // any vendor, such as a reseller
		// DeepSeek's own API names this model without its version.
		renaming("deepseek-v4.1-flash", "deepseek-flash"),
	},
	builds: []idRule{
		// A version is a build only after these three words. In deepseek-v3.2 and deepseek-v4-pro it is the name.
		containing("-v", replacing(`^(deepseek-(?:chat|reasoner|coder))-v\d+(?:\.\d+)?(?:-exp|-terminus|-speciale|-\d{4})?$`, "${1}")),
		// The id under which DeepSeek served R1. Without a vendor prefix the result would be longer than the id, so that the
		// rule is among the guesses as well.
		r1,
	},
	guesses: []idRule{undotted, dotted, r1},
}

var withoutDeepSeek = withoutPrefixes("deepseek/", "deepseek-ai/")

var r1 = renaming("deepseek-r1", "deepseek-reasoner")

// XAI has the rules for xAI. Words in an id (-reasoning, -mini, -fast, -code) are part of it.
var XAI = &Dialect{
	owned:         xaiOwned,
	withoutVendor: withoutXAI,
	spelling: []idRule{
		variant,
		withoutXAI,
		containing("/grok-", replacing(`^(?:[^/]+/)+(grok-.*)$`, "${1}")), // any vendor, such as a reseller
		versioned(withoutSuffix("-beta", "-latest")),
		// A date has two forms.
		replacing(`^(.*\d.*)-(`+month+`)-(`+day+`)$`, "${1}-${2}${3}"),
		// A table, not a pattern: grok-4-1-fast is a real id, and the 20 of grok-4-20 is not a day.
		dotting("grok-4", "3", "5", "6", "7", "20"),
	},
	builds: []idRule{
		// A build is at the end or before the words: grok-4.20-0309-reasoning.
		replacing(`^(.*\d.*?)-`+month+day+`(-.*)?$`, "${1}${2}"),
	},
	guesses: []idRule{undotted, dotted},
}

var withoutXAI = withoutPrefixes("x-ai/", "xai/")

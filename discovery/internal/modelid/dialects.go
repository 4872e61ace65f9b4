package modelid

import (
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/lazy"
)

// idRule rewrites an id, or returns it unchanged.
type idRule func(id string) string

func replacing(pattern, with string) idRule {
	re := lazy.Regexp(pattern)
	return func(id string) string { return re().ReplaceAllString(id, with) }
}

// containing applies rule only to ids that contain part, as every match must. Most ids
// don't, and a regular expression takes a microsecond to find that out.
func containing(part string, rule idRule) idRule {
	return func(id string) string {
		if !strings.Contains(id, part) {
			return id
		}
		return rule(id)
	}
}

func renaming(from, to string) idRule {
	return func(id string) string {
		if id == from {
			return to
		}
		return id
	}
}

// withoutPrefixes returns a rule that removes prefixes, in any order and repeatedly.
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

// versioned applies rule only if a version is left: grok-beta, gemini-flash-latest and
// claude-opus-latest are real ids.
func versioned(rule idRule) idRule {
	return func(id string) string {
		if base := rule(id); strings.ContainsAny(base, "0123456789") {
			return base
		}
		return id
	}
}

// dotting returns a rule that writes a listed version after base with a dot: gpt-4-1-mini
// becomes gpt-4.1-mini.
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

// variant removes OpenRouter's suffixes.
var variant = withoutSuffix(":free", ":beta", ":thinking", ":nitro")

// Resold reports whether id comes from a marketplace: it has another vendor's prefix, or
// a variant suffix. The provider's prices don't apply there.
func (d *Dialect) Resold(id string) bool {
	id = foldID(strings.TrimSpace(id))
	vendor := id[:strings.LastIndex(id, "/")+1]
	return variant(id) != id || (d != nil && d.withoutVendor != nil && d.withoutVendor(vendor) != "")
}

// OpenAI has OpenAI's rules. Words in an id (-mini, -chat-latest, -audio,
// -search-preview) belong to it, and so does a date in the middle (gpt-4-1106-preview).
var OpenAI = &Dialect{
	owned: openAIOwned,
	spelling: []idRule{
		variant,
		withoutPrefixes("openai/"),
		// versions that OpenAI writes with a dot, and the catalog sometimes with a hyphen
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

// FineTuneBase returns the base model of a fine-tune, ft:BASE:ORGANISATION:NAME:ID, and
// reports whether id is a fine-tune.
func FineTuneBase(id string) (base string, ok bool) {
	rest, ok := strings.CutPrefix(id, "ft:")
	base, _, found := strings.Cut(rest, ":")
	if !ok || !found || base == "" {
		return id, false
	}
	return base, true
}

// WithoutDeployment removes the deployment that old responses name after a colon:
// gpt-3.5-turbo-instruct:20230824-v2 becomes gpt-3.5-turbo-instruct. It isn't a spelling
// rule, because davinci:2023-07-21-v2 isn't the older model davinci. A fine-tune, which
// also has a colon, stays unchanged.
func WithoutDeployment(id string) string {
	base, deployment, found := strings.Cut(id, ":")
	if !found || base == "ft" || deployment == "" || deployment[0] < '0' || deployment[0] > '9' {
		return id
	}
	return base
}

// shortBuilds are builds dated by month and day. A pattern would also match other ids.
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

// families are Claude's model lines.
const families = `opus|sonnet|haiku|fable|mythos`

// Anthropic has Anthropic's rules. -fast and -preview belong to an id.
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
		// Claude 1 and 2 have a dot in their real ids
		containing(".", replacing(`-([3-9]|[1-9]\d)\.(\d)`, "-${1}-${2}")),
		// The version precedes the family in 3.x, and follows it from 4 on. Eight digits
		// are a date.
		replacing(`^claude-([4-9]|[1-9]\d)((?:-\d{1,2})?)-(`+families+`)(-.*)?$`, "claude-${3}-${1}${2}${4}"),
		containing("-3", replacing(`^claude-(`+families+`)-(3(?:-\d{1,2})?)(-.*)?$`, "claude-${2}-${1}${3}")),
		containing("-0", replacing(`^(claude-(?:`+families+`)-\d{1,2})-0(-.*)?$`, "${1}${2}")),
	},
	builds: []idRule{
		containing("-20", versioned(replacing(`-`+year+month+day+`$`, ""))),
	},
	guesses: []idRule{undotted, dotted},
}

// Gemini has Google's rules. Its build rules apply only to gemini-1 and later: in an
// embedding, Imagen or Veo id, 001 belongs to the id. So does -preview without a date;
// see Rewrites.
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
	// tried last: a preview may have become a model, or may still be the only one
	guesses: []idRule{undotted, dotted, replacing(`^(.*gemini-\d.*)-preview$`, "${1}")},
}

// DeepSeek has DeepSeek's rules.
var DeepSeek = &Dialect{
	owned:         deepSeekOwned,
	withoutVendor: withoutDeepSeek,
	spelling: []idRule{
		variant,
		withoutDeepSeek,
		containing("/deepseek-", replacing(`^(?:[^/]+/)+(deepseek-.*)$`, "${1}")), // any vendor, such as a reseller
		// DeepSeek's own API names this model without its version
		renaming("deepseek-v4.1-flash", "deepseek-flash"),
	},
	builds: []idRule{
		// A version is a build only after these three words. In deepseek-v3.2 and
		// deepseek-v4-pro it's the name.
		containing("-v", replacing(`^(deepseek-(?:chat|reasoner|coder))-v\d+(?:\.\d+)?(?:-exp|-terminus|-speciale|-\d{4})?$`, "${1}")),
		// The id under which DeepSeek served R1. Without a vendor prefix, the result
		// would be longer than the id, so the rule is also among the guesses.
		r1,
	},
	guesses: []idRule{undotted, dotted, r1},
}

var withoutDeepSeek = withoutPrefixes("deepseek/", "deepseek-ai/")

var r1 = renaming("deepseek-r1", "deepseek-reasoner")

// XAI has xAI's rules. Words in an id (-reasoning, -mini, -fast, -code) belong to it.
var XAI = &Dialect{
	owned:         xaiOwned,
	withoutVendor: withoutXAI,
	spelling: []idRule{
		variant,
		withoutXAI,
		containing("/grok-", replacing(`^(?:[^/]+/)+(grok-.*)$`, "${1}")), // any vendor, such as a reseller
		versioned(withoutSuffix("-beta", "-latest")),
		// a date has two forms
		replacing(`^(.*\d.*)-(`+month+`)-(`+day+`)$`, "${1}-${2}${3}"),
		// A table, not a pattern: grok-4-1-fast is a real id, and in grok-4-20, 20 isn't
		// a day.
		dotting("grok-4", "3", "5", "6", "7", "20"),
	},
	builds: []idRule{
		// a build is at the end, or before words: grok-4.20-0309-reasoning
		replacing(`^(.*\d.*?)-`+month+day+`(-.*)?$`, "${1}${2}"),
	},
	guesses: []idRule{undotted, dotted},
}

var withoutXAI = withoutPrefixes("x-ai/", "xai/")

package discovery

import (
	"regexp"
	"slices"
	"strings"
)

// NormalizeModelID returns the id under which the provider itself knows a model, without vendor prefix, platform suffix
// and build: "openai/o3-mini-2025-01-31" is "o3-mini", "x-ai/grok-4-5" is "grok-4.5", "us.anthropic.claude-opus-4-5-20251101-v1:0"
// is "claude-opus-4-5". It carries out normalize_model_id of SPEC.md with the tables of WIRE.md section 11.
//
// The result is in lower case, its blanks are hyphens, it is never longer than id, and normalizing it again changes nothing.
// It is never empty and never a mere stem like "grok", unless id is: what would end so is returned trimmed and as it is. An
// id of an unknown provider, or of more than 256 bytes, is trimmed and otherwise unchanged.
//
// A real id without a build stays what it is, also where it looks as if it had one: the 1 of grok-4-1-fast, the 001 of
// gemini-embedding-001, the v4 of deepseek-v4-pro, the latest of claude-opus-latest and the dot of claude-2.1 are part of
// the id. Two ids become shorter names of the same model: deepseek-v4.1-flash is deepseek-flash, and deepseek/deepseek-r1
// the deepseek-reasoner it was served as (deepseek-r1 by itself stays, for it would become longer).
//
// An id without its build can have another price, other limits and another retirement date. Look up the id as it is first.
//
// It is safe for concurrent use.
func NormalizeModelID(p Provider, id string) string {
	trimmed := strings.TrimSpace(id)
	if trimmed == "" {
		return id
	}
	d, ok := dialectOf(p, trimmed)
	if !ok {
		return trimmed
	}
	if name := d.normalize(trimmed); !isStem(name) {
		return name
	}
	return trimmed
}

// NormalizeXAIModelID is [NormalizeModelID] for [XAI]: it strips the vendor prefix, -beta, -latest and dated builds
// (-07-09 as the source document has it, and -0709 as xAI writes it).
func NormalizeXAIModelID(id string) string { return NormalizeModelID(XAI, id) }

// NormalizeDeepSeekModelID is [NormalizeModelID] for [DeepSeek]: it strips the vendor prefix and version suffixes like -v3.1
// and -v3.2-terminus, the latter only where a real id is left.
func NormalizeDeepSeekModelID(id string) string { return NormalizeModelID(DeepSeek, id) }

// dialect is how the ids of one provider are written. Both lists are applied in order, again and again, until nothing
// changes: that makes normalizing idempotent, and suffixes may come in any order.
type dialect struct {
	// spelling has the rules that keep naming the same model.
	spelling []idRule
	// builds has the rules that forget which build of a model it is.
	builds []idRule
	// guesses has the rules of which some lead to another model; see rewrites.
	guesses []idRule
}

// idRule rewrites an id, or returns it as it is.
type idRule func(id string) string

var dialects = map[Provider]dialect{
	OpenAI:    openAIDialect,
	DeepSeek:  deepSeekDialect,
	Anthropic: anthropicDialect,
	Gemini:    geminiDialect,
	XAI:       xaiDialect,
}

// longestID is the longest text that is taken for an id, in bytes. The longest kind, a path of Google Cloud, has about 150.
const longestID = 256

// dialectOf returns the dialect that id is written in, if it can be an id of a known provider.
func dialectOf(p Provider, id string) (dialect, bool) {
	d, known := dialects[p.canonical()]
	return d, known && len(id) <= longestID
}

// normalize repeats what d says until nothing changes, and does nothing that would make the id longer.
func (d dialect) normalize(id string) string {
	for {
		name := last(d.spellings(id))
		for _, rule := range d.builds {
			if base := rule(name); len(base) <= len(id) {
				name = base
			}
		}
		if name == id {
			return name
		}
		id = name
	}
}

// spellings lists id and the plainer names of the same model, the plainest last.
func (d dialect) spellings(id string) []string {
	names := []string{id}
	if folded := foldID(id); folded != id {
		names = append(names, folded)
	}
	for before := ""; before != last(names); {
		before = last(names)
		for _, rule := range d.spelling {
			if name := rule(last(names)); name != last(names) {
				names = append(names, name)
			}
		}
	}
	return names
}

// spellings lists the names under which to look up exactly the model that id names, build and all, best first: as given,
// then without case and blanks, vendor prefix, variant and platform suffix, and so on. An unknown provider has only the
// trimmed id.
func spellings(p Provider, id string) []string {
	trimmed := strings.TrimSpace(id)
	d, ok := dialectOf(p, trimmed)
	if !ok {
		return []string{trimmed}
	}
	return slices.DeleteFunc(d.spellings(trimmed), func(name string) bool { return name != trimmed && isStem(name) })
}

// isStem says whether nothing but a vendor or a family is left of a name.
func isStem(name string) bool {
	switch strings.Trim(name, "-./: ") {
	case "", "openai", "gpt", "deepseek", "deepseek-ai", "anthropic", "claude", "google", "gemini", "xai", "x-ai", "grok":
		return true
	}
	return false
}

func last(names []string) string { return names[len(names)-1] }

// foldID folds ASCII letters only: others could become longer, and no id has any.
func foldID(id string) string {
	lower := []byte(strings.Join(strings.Fields(id), "-"))
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// What dates look like in ids. Months and days are checked, so that a version like 4-20 is not taken for one.
const (
	month = `(?:0[1-9]|1[0-2])`
	day   = `(?:0[1-9]|[12]\d|3[01])`
	year  = `20\d\d`
)

// variant is what OpenRouter puts behind any id (WIRE.md section 11, last line).
var variant = replacing(`:(?:free|beta|thinking|nitro)$`, "")

// replacing is the rule that replaces what pattern matches.
func replacing(pattern, with string) idRule {
	re := regexp.MustCompile(pattern)
	return func(id string) string { return re.ReplaceAllString(id, with) }
}

// cutting is the rule that cuts a suffix off, where what is left still names a version: grok-beta, gemini-flash-latest and
// claude-opus-latest are ids of their own.
func cutting(suffix string) idRule {
	return replacing(`^(.*\d.*?)(?:`+suffix+`)$`, "${1}")
}

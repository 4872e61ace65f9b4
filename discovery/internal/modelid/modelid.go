// Package modelid has spelling rules for model ids, by provider. Marketplaces and clouds
// add prefixes, suffixes and builds, and write versions with dots or hyphens. For the
// rules, see "Model names" in docs/providers.md.
package modelid

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/lazy"
)

// Normalize returns the provider's own id for a model; see discovery.NormalizeModelID.
func (d *Dialect) Normalize(id string) string {
	trimmed := strings.TrimSpace(id)
	switch {
	case trimmed == "":
		return id
	case !d.accepts(trimmed):
		return trimmed
	}
	if name := d.normalize(trimmed); !isStem(name) {
		return name
	}
	return trimmed
}

// Dialect has a provider's spelling rules. Rules are applied in order and repeatedly,
// until nothing changes. So normalizing is idempotent and independent of the order of
// suffixes.
type Dialect struct {
	// owned matches the plainest spellings of the provider's ids.
	owned func() *regexp.Regexp
	// withoutVendor removes the provider's own prefixes. It's nil if spelling removes no
	// others.
	withoutVendor idRule
	// spelling rules keep the same build.
	spelling []idRule
	// builds rules remove the build.
	builds []idRule
	// guesses rules may lead to another model; see Rewrites.
	guesses []idRule
}

// longestID limits ids, in bytes. The longest real ids, Google Cloud paths, have about
// 150.
const longestID = 256

// accepts reports whether id is short enough. The nil Dialect, for an unknown provider,
// accepts no id.
func (d *Dialect) accepts(id string) bool { return d != nil && len(id) <= longestID }

// normalize applies all rules until nothing changes, unless the id would become longer.
func (d *Dialect) normalize(id string) string {
	for {
		name := Last(d.spellings(id))
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

// spellings returns id and plainer names for the same build, the plainest last.
func (d *Dialect) spellings(id string) []string {
	names := []string{id}
	if folded := foldID(id); folded != id {
		names = append(names, folded)
	}
	for before := ""; before != Last(names); {
		before = Last(names)
		for _, rule := range d.spelling {
			if name := rule(Last(names)); name != Last(names) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Spellings returns names for exactly the build that id names, best first.
func (d *Dialect) Spellings(id string) []string {
	trimmed := strings.TrimSpace(id)
	if !d.accepts(trimmed) {
		return []string{trimmed}
	}
	return slices.DeleteFunc(d.spellings(trimmed), func(name string) bool { return name != trimmed && isStem(name) })
}

// isStem reports whether a name is only a vendor or a family.
func isStem(name string) bool {
	switch strings.Trim(name, "-./: ") {
	case "", "openai", "gpt", "deepseek", "deepseek-ai", "anthropic", "claude", "google", "gemini", "xai", "x-ai", "grok":
		return true
	}
	return false
}

// Last returns the last name, which is the plainest.
func Last(names []string) string { return names[len(names)-1] }

// foldID replaces spaces by hyphens, and lowers only ASCII letters: others could become
// longer, and don't occur in ids.
func foldID(id string) string {
	lower := []byte(strings.Join(strings.Fields(id), "-"))
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// Date patterns. Months and days are checked, so that a version such as 4-20 isn't taken
// for a date.
const (
	month = `(?:0[1-9]|1[0-2])`
	day   = `(?:0[1-9]|[12]\d|3[01])`
	year  = `20\d\d`
)

// buildDate matches build dates: 2024-08-06 and 20240806, 06-2025 and 06-05, and 0605.
var buildDate = lazy.Regexp(`[-@](?:(` + year + `)-?(\d\d)-?(\d\d)|(\d\d)-(` + year + `)|(\d\d)-?(\d\d))(?:$|[-@:\[])`)

// pastBuild reports whether all dates in an id are valid and not in the future. A date
// without a year need only be valid.
func pastBuild(id string, now time.Time) bool {
	base, _ := FineTuneBase(id) // the owner chooses the rest
	for _, m := range buildDate().FindAllStringSubmatch(base, -1) {
		text := "2024-" + m[6] + "-" + m[7] // a leap year
		switch {
		case m[1] != "":
			text = m[1] + "-" + m[2] + "-" + m[3]
		case m[4] != "":
			text = m[5] + "-" + m[4] + "-01"
		}
		date, err := time.Parse(time.DateOnly, text)
		if err != nil || date.After(now) {
			return false
		}
	}
	return true
}

// Candidates returns the names under which a list may have the model that id names, best
// first: other spellings of the same build, and then the model without its build and the
// rewrites, unless the build can't exist at now.
func (d *Dialect) Candidates(id string, now time.Time) []string {
	names := d.Spellings(id)
	normalized := d.Normalize(id)
	if slices.Contains(names, normalized) || pastBuild(Last(names), now) {
		names = append(append(names, normalized), d.Rewrites(id)...)
	}
	return names
}

// Lists write versions with a dot or a hyphen.
var (
	undotted = containing(".", replacing(`(\d)\.(\d)`, "${1}-${2}"))
	dotted   = replacing(`^(\D*-v?\d{1,2})-(\d{1,2})(-.*)?$`, "${1}.${2}${3}")
)

// Rewrites returns further names that a list may have for the model, each one rewrite
// away from a spelling or the normalized form. They are guesses: try them last, in this
// order, and accept only listed names.
func (d *Dialect) Rewrites(id string) []string {
	if d == nil {
		return nil
	}
	tried := append(d.Spellings(id), d.Normalize(id))
	var guesses []string
	for _, rule := range d.guesses {
		for _, name := range tried {
			if guess := rule(name); !slices.Contains(tried, guess) && !slices.Contains(guesses, guess) {
				guesses = append(guesses, guess)
			}
		}
	}
	return guesses
}

// Owns reports whether an id, in any spelling, looks like the provider's own ids.
func (d *Dialect) Owns(id string) bool {
	trimmed := strings.TrimSpace(id)
	return d.accepts(trimmed) && d.owned().MatchString(Last(d.Spellings(trimmed)))
}

// Prefixes of the providers' ids.
var (
	openAIOwned = lazy.Regexp(`^(?:ft[-:])?(?:gpt|chatgpt|chat|codex|o\d|dall-e|davinci|babbage|curie|ada|sora|tts|whisper` +
		`|computer-use|omni-moderation|text-embedding-(?:3|ada)|text-moderation|text-(?:search-|similarity-)?(?:davinci|curie|babbage|ada)` +
		`|code-(?:davinci|cushman|search))(?:-|$)`)
	deepSeekOwned  = lazy.Regexp(`^deepseek-`)
	anthropicOwned = lazy.Regexp(`^claude-`)
	geminiOwned    = lazy.Regexp(`^(?:gemini|gemma|imagen|veo|lyria|nano-banana|learnlm|aqa|embedding|text-embedding-0\d\d)(?:-|$)`)
	xaiOwned       = lazy.Regexp(`^grok-`)
)

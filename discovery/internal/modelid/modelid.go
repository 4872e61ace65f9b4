// Package modelid has the spelling rules for model ids, provider by provider. Marketplaces and clouds add prefixes, suffixes and
// builds, and write versions with dots or hyphens. docs/providers.md, "Model names", lists the rules.
package modelid

import (
	"regexp"
	"slices"
	"strings"
)

// Normalize returns the id under which the provider itself knows a model; see discovery.NormalizeModelID.
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

// Dialect has the spelling rules of one provider. The rules are applied in order, repeatedly, until nothing changes: that makes
// normalizing idempotent and independent of the order of suffixes.
type Dialect struct {
	// owned matches the plainest spellings of the provider's ids.
	owned func() *regexp.Regexp
	// withoutVendor removes the prefixes of the provider itself. It is nil if spelling removes no other ones.
	withoutVendor idRule
	// spelling has the rules whose result names the same build of the model.
	spelling []idRule
	// builds has the rules that remove the build.
	builds []idRule
	// guesses has the rules that may lead to another model; see Rewrites.
	guesses []idRule
}

// longestID is the length of the longest id that is processed, in bytes. The longest real ones, paths of Google Cloud, have
// about 150.
const longestID = 256

// accepts reports whether id is short enough to be an id. The nil Dialect, that of an unknown provider, accepts no id.
func (d *Dialect) accepts(id string) bool { return d != nil && len(id) <= longestID }

// normalize applies all rules until nothing changes, except where the id would become longer.
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

// spellings returns id and the plainer names of the same build, the plainest last.
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

// Spellings returns the names under which to look up exactly the build that id names, best first.
func (d *Dialect) Spellings(id string) []string {
	trimmed := strings.TrimSpace(id)
	if !d.accepts(trimmed) {
		return []string{trimmed}
	}
	return slices.DeleteFunc(d.spellings(trimmed), func(name string) bool { return name != trimmed && isStem(name) })
}

// isStem reports whether only a vendor or a family is left of a name.
func isStem(name string) bool {
	switch strings.Trim(name, "-./: ") {
	case "", "openai", "gpt", "deepseek", "deepseek-ai", "anthropic", "claude", "google", "gemini", "xai", "x-ai", "grok":
		return true
	}
	return false
}

// Last returns the last of names.
func Last(names []string) string { return names[len(names)-1] }

// foldID folds ASCII letters only. Others could become longer, and no id has them.
func foldID(id string) string {
	lower := []byte(strings.Join(strings.Fields(id), "-"))
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// The parts of dates in ids. Months and days are checked, so that a version such as 4-20 is not read as a date.
const (
	month = `(?:0[1-9]|1[0-2])`
	day   = `(?:0[1-9]|[12]\d|3[01])`
	year  = `20\d\d`
)

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

// dialect is how the ids of one provider are written. Both lists are applied in order, again and again, until nothing
// changes: that makes normalizing idempotent, and suffixes may come in any order.
type Dialect struct {
	// spelling has the rules that keep naming the same model.
	spelling []idRule
	// builds has the rules that forget which build of a model it is.
	builds []idRule
	// guesses has the rules of which some lead to another model; see rewrites.
	guesses []idRule
}

// idRule rewrites an id, or returns it as it is.
type idRule func(id string) string

// longestID is the longest text that is taken for an id, in bytes. The longest kind, a path of Google Cloud, has about 150.
const longestID = 256

// accepts reports whether id can be one of the provider's; the nil Dialect, of an unknown provider, accepts none.
func (d *Dialect) accepts(id string) bool { return d != nil && len(id) <= longestID }

// normalize repeats what d says until nothing changes, and does nothing that would make the id longer.
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

// spellings lists id and the plainer names of the same model, the plainest last.
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

// Spellings lists the names under which to look up exactly the model that id names, build and all, best first.
func (d *Dialect) Spellings(id string) []string {
	trimmed := strings.TrimSpace(id)
	if !d.accepts(trimmed) {
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

func Last(names []string) string { return names[len(names)-1] }

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

package modelid

import (
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/lazy"
)

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

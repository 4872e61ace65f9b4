package geminisku

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// modelNames are the models of a price list: their names as SKUs spell them, and the words of each without the leading "gemini".
type modelNames struct {
	names []string
	words [][]string
}

// newModelNames returns the distinct models among names, which begin with "gemini" or are "".
func newModelNames(names []string) modelNames {
	var m modelNames
	seen := map[string]bool{"": true}
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			m.names = append(m.names, name)
			m.words = append(m.words, strings.Fields(name)[1:])
		}
	}
	return m
}

// match returns the spellings of the one model that a hint means, or nil when no model matches. An error lists the models that
// an ambiguous hint may mean. The words of the hint are those of [Words] without the vendor; anchored reports whether they must
// be the first words of the model. The first of these rules that applies decides:
//
//  1. the hint is the model
//  2. the hint is the model without its release, such as "preview" or "001"
//  3. the hint without its release is the model
//  4. the hint occurs in the name of one model only, and no word after it can make it another model
func (m modelNames) match(hint []string, anchored bool) (map[string]bool, error) {
	if named, err := m.named(hint); named != nil || err != nil {
		return named, err
	}
	found := m.filter(func(model []string) bool { return contains(model, hint, anchored, anyWord) })
	if len(found) == 0 {
		return nil, nil //nolint:nilnil // nil is the empty set
	}
	// The words after the hint can rule a model out, but must not choose between two.
	one, err := m.spellings(found)
	if err == nil && len(m.filter(func(model []string) bool { return contains(model, hint, anchored, keepsModel) })) < len(found) {
		return nil, fmt.Errorf("the hint may mean another model than %s", joinNames(found))
	}
	return one, err
}

// named is match by the first three rules, for a hint that is an id.
func (m modelNames) named(hint []string) (map[string]bool, error) {
	base, released := withoutRelease(hint)
	for _, matches := range []func(model []string) bool{
		func(model []string) bool { return sameModel(model, hint) },
		func(model []string) bool { return isReleaseOf(model, hint) },
		func(model []string) bool { return released != "" && sameModel(model, base) },
		func(model []string) bool { return released == "latest" && isReleaseOf(model, base) },
	} {
		if found := m.filter(matches); len(found) > 0 {
			return m.spellings(found)
		}
	}
	return nil, nil //nolint:nilnil // nil is the empty set
}

// ofID returns the spellings of the model with an id; none if there is no such model, or more than one.
func (m modelNames) ofID(words []string) map[string]bool {
	hint, _ := withoutVendor(words)
	if len(hint) == 0 {
		return nil
	}
	names, _ := m.named(hint)
	return names
}

// filter returns the names of the models for which keep returns true.
func (m modelNames) filter(keep func(words []string) bool) []string {
	var found []string
	for i, words := range m.words {
		if keep(words) {
			found = append(found, m.names[i])
		}
	}
	return found
}

// spellings returns all names of the model that the given names spell. Names of several models are an error.
func (m modelNames) spellings(names []string) (map[string]bool, error) {
	first := strings.Fields(names[0])[1:]
	for _, name := range names {
		if !sameModel(strings.Fields(name)[1:], first) {
			return nil, fmt.Errorf("the hint may mean any of %s", joinNames(names))
		}
	}
	return setOf(m.filter(func(model []string) bool { return sameModel(model, first) })...), nil
}

// maxNames is how many models an error lists.
const maxNames = 10

func joinNames(names []string) string {
	if len(names) > maxNames {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
	}
	return strings.Join(names, ", ")
}

// sameModel reports whether two names differ at most in blanks: "ER 1.6" and "ER1.6" are the same model.
func sameModel(a, b []string) bool { return strings.Join(a, "") == strings.Join(b, "") }

func hasPrefix(model, name []string) bool {
	return len(model) >= len(name) && slices.Equal(model[:len(name)], name)
}

// isReleaseOf reports whether model is name followed by words of a release.
func isReleaseOf(model, name []string) bool {
	return hasPrefix(model, name) && all(model[len(name):], isRelease)
}

// contains reports whether model contains the words of hint, followed only by allowed words. An anchored hint must be at the
// beginning.
func contains(model, hint []string, anchored bool, allowed func(string) bool) bool {
	for i := range model {
		if hasPrefix(model[i:], hint) && all(model[i+len(hint):], allowed) {
			return true
		}
		if anchored {
			return false
		}
	}
	return false
}

func all(words []string, is func(string) bool) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !is(word) })
}

var (
	versionWord = regexp.MustCompile(`^\d+(?:\.\d+)?$`)
	buildWord   = regexp.MustCompile(`^\d{3,}$`)
	stableBuild = regexp.MustCompile(`^00\d$`)
)

// isRelease reports whether a word of a SKU names a release of a model rather than another model.
func isRelease(word string) bool {
	return word == "preview" || word == "exp" || word == "experimental" || word == "latest" || buildWord.MatchString(word)
}

// withoutRelease removes the release at the end of a hint, where API ids have one that SKUs do not: preview, latest or a stable
// build such as 001. Dated previews and experimental models had prices of their own, so their release is kept.
func withoutRelease(hint []string) (base []string, release string) {
	if len(hint) < 2 {
		return hint, ""
	}
	last := hint[len(hint)-1]
	if last == "preview" || last == "latest" || stableBuild.MatchString(last) {
		return hint[:len(hint)-1], last
	}
	return hint, ""
}

// keepsModel reports whether a word after an incomplete name leaves the model the same: a version, a family or a release. Any
// other word, such as lite or image, and any unknown one, may make it another model at another price.
func keepsModel(word string) bool {
	return isRelease(word) || versionWord.MatchString(word) || word == "flash" || word == "pro" || word == "ultra" || word == "nano"
}

func anyWord(string) bool { return true }

// withoutVendor removes the words that every model name begins with. A hint that had "gemini" is anchored.
func withoutVendor(words []string) (hint []string, anchored bool) {
	for len(words) > 0 && vendorWords[words[0]] {
		anchored = anchored || words[0] == "gemini"
		words = words[1:]
	}
	return words, anchored
}

var vendorWords = setOf("gemini", "google", "models")

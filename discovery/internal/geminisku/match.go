package geminisku

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ModelNames is the models of a price list: their hints, and the words of those without the leading gemini.
type ModelNames struct {
	hints []string
	words [][]string
}

func Models(hints []string) ModelNames {
	var m ModelNames
	seen := map[string]bool{"": true}
	for _, hint := range hints {
		if !seen[hint] {
			seen[hint] = true
			m.hints = append(m.hints, hint)
			m.words = append(m.words, strings.Fields(hint)[1:])
		}
	}
	return m
}

// match returns the hints of the one model that a name means, which may be spelt in several ways; none when it is nobody's.
// An error lists the models that it may mean. A full name is one from the beginning on: "gemini 2" is no robotics er 2.
func (m ModelNames) Match(name []string, full bool) (map[string]bool, error) {
	for _, fits := range []func(model []string) bool{
		func(model []string) bool { return sameModel(model, name) },
		func(model []string) bool { return startsWith(model, name) && all(model[len(name):], isPreview) },
	} {
		if found := m.that(fits); len(found) > 0 {
			return m.oneModel(found)
		}
	}
	holding := m.that(func(model []string) bool { return stands(name, model, full, anything) })
	if len(holding) == 0 {
		return nil, nil //nolint:nilnil // nobody is a set without members
	}
	// What stands behind the name may rule a model out, but must not choose between two.
	one, err := m.oneModel(holding)
	if err == nil && len(m.that(func(model []string) bool { return stands(name, model, full, staysTheModel) })) < len(holding) {
		return nil, fmt.Errorf("the hint may mean another model than %s", listed(holding))
	}
	return one, err
}

// that returns the hints whose words fit.
func (m ModelNames) that(fits func([]string) bool) []string {
	var found []string
	for i, words := range m.words {
		if fits(words) {
			found = append(found, m.hints[i])
		}
	}
	return found
}

// oneModel makes a set of all hints that spell the model of these, if they are spellings of one.
func (m ModelNames) oneModel(hints []string) (map[string]bool, error) {
	for _, hint := range hints {
		if !sameModel(strings.Fields(hint), strings.Fields(hints[0])) {
			return nil, fmt.Errorf("the hint may mean any of %s", listed(hints))
		}
	}
	return setOf(m.that(func(model []string) bool { return sameModel(model, strings.Fields(hints[0])[1:]) })...), nil
}

// mostListed is how many models an error lists.
const mostListed = 10

func listed(hints []string) string {
	if len(hints) > mostListed {
		return fmt.Sprintf("%s and %d more", strings.Join(hints[:mostListed], ", "), len(hints)-mostListed)
	}
	return strings.Join(hints, ", ")
}

// sameModel compares words as if they were one: "ER 1.6" and "ER1.6" are the same model.
func sameModel(a, b []string) bool { return strings.Join(a, "") == strings.Join(b, "") }

func startsWith(model, name []string) bool {
	return len(model) >= len(name) && slices.Equal(model[:len(name)], name)
}

// stands says whether name stands in model, word for word, at a place behind which there are only words that may. The place
// of a full name is the beginning.
func stands(name, model []string, full bool, may func(string) bool) bool {
	for i := range model {
		if startsWith(model[i:], name) && all(model[i+len(name):], may) {
			return true
		}
		if full {
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
)

// isPreview says whether a word behind a model's name leaves it the same model.
func isPreview(word string) bool {
	return word == "preview" || word == "exp" || word == "experimental" || word == "latest" || buildWord.MatchString(word)
}

// staysTheModel says whether a word may stand behind a name that is not a whole one: a version, a family, or what isPreview
// says. Any other, such as lite or image, and any that is not known yet, may make it another model at another price.
func staysTheModel(word string) bool {
	return isPreview(word) || versionWord.MatchString(word) || word == "flash" || word == "pro" || word == "ultra" || word == "nano"
}

func anything(string) bool { return true }

// WithoutVendor takes off the front of a model's name what every model has there. A name that had the gemini is a full one.
func WithoutVendor(words []string) (name []string, full bool) {
	for len(words) > 0 && vendorWords[words[0]] {
		full = full || words[0] == "gemini"
		words = words[1:]
	}
	return words, full
}

var vendorWords = setOf("gemini", "google", "models")

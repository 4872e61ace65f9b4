// Package providers finds out which provider a name or a model id means.
package providers

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/editdistance"
)

// Names returns all provider names.
func Names() []string {
	providers := models.Providers()
	names := make([]string, len(providers))
	for i, p := range providers {
		names[i] = string(p)
	}
	return names
}

// Of returns the named provider, or for "" the one that makes the model.
func Of(name, model string) (models.Provider, error) {
	p, found := models.ProviderOf(cmp.Or(name, model))
	switch named, err := models.ParseProvider(name); {
	case err == nil:
		return named, nil
	case name == "" && found:
		return p, nil
	case name == "":
		return "", unowned(model)
	case found:
		return "", fmt.Errorf("%q is a model, not a provider", name)
	}
	name, _, _ = strings.Cut(name, "/")
	return "", unknown(name, "")
}

// unowned says what is wrong with a model's name, which may start with a provider.
func unowned(model string) error {
	owner, rest, prefixed := strings.Cut(model, "/")
	p, err := models.ParseProvider(owner)
	other, known := models.ProviderOf(rest)
	switch {
	case !prefixed && err == nil:
		return fmt.Errorf("%q is a provider, not a model", model)
	case prefixed && err == nil && known:
		return notOf(p, rest, other)
	case prefixed && err != nil:
		return unknown(owner, " of "+strconv.Quote(model))
	}
	return fmt.Errorf("unknown provider for %q; specify %s", model, alternatives())
}

// Misspelled returns an error if a model starts with a misspelled provider, such as
// opneai/gpt-5.2.
func Misspelled(model string) error {
	owner, _, prefixed := strings.Cut(model, "/")
	if _, known := models.ProviderOf(model); known || !prefixed || nearest(owner) == "" {
		return nil
	}
	return unowned(model)
}

func nearest(name string) string { return editdistance.Nearest(strings.ToLower(name), Names()) }

func unknown(name, of string) error {
	if similar := nearest(name); similar != "" {
		return fmt.Errorf("unknown provider %q%s; did you mean %s?", name, of, similar)
	}
	return fmt.Errorf("unknown provider %q%s; specify %s", name, of, alternatives())
}

func notOf(p models.Provider, model string, other models.Provider) error {
	return fmt.Errorf("%s is a model of %s, not of %s", output.Line(model), other, p)
}

func alternatives() string { return output.Alternatives(Names()) }

// Priced is [Of] with the user's own price files: it also accepts provider names in list,
// and for an unknown model the only provider that prices it.
func Priced(list *prices.List, registry models.Registry, name, model string) (models.Provider, error) {
	p, err := Of(name, model)
	if err == nil {
		return p, nil
	}
	var own []string
	for _, p := range list.Providers() {
		switch {
		case name != "" && strings.EqualFold(string(p), name):
			return p, nil
		case name == "" && len(list.ForModel(p, model)) > 0:
			own = append(own, string(p))
		}
	}
	switch {
	case len(own) == 1:
		return models.Provider(own[0]), nil
	case len(own) > 1:
		return "", fmt.Errorf("several providers price %q; specify --provider %s", model, strings.Join(own, " or "))
	case name == "" && !strings.Contains(model, "/") && len(Similar(list, registry, "", model, time.Now())) > 0:
		return "", Unlisted(list, registry, "", model)
	}
	return "", err
}

const (
	maxSimilar = 3
	maxEdits   = 2 // differing letters
)

// Similar suggests up to three models on sale now, best and newest first. They belong to
// provider p, or to any if p is "". A version must match: gpt-99 doesn't mean gpt-4.
func Similar(list *prices.List, registry models.Registry, p models.Provider, unknown string, now time.Time) []string {
	want, matches := parse(unknown), []match{}
	for _, provider := range list.Providers() {
		for _, id := range list.Models(provider) {
			m, ok := want.match(parse(id))
			if ok && (p == "" || p == provider) && sold(list, registry, provider, id, now) {
				matches = append(matches, m)
			}
		}
	}
	slices.SortStableFunc(matches, match.compare)
	var names []string
	for _, m := range matches[:min(len(matches), maxSimilar)] {
		names = append(names, m.id)
	}
	return names
}

// Unlisted reports a model missing from a provider's price list.
func Unlisted(list *prices.List, registry models.Registry, p models.Provider, model string) error {
	_, err := models.ParseProvider(string(p))
	if other, ok := models.ProviderOf(model); err == nil && ok && other != p && len(list.ForModel(other, model)) > 0 {
		return notOf(p, model, other)
	}
	names := Similar(list, registry, p, model, time.Now())
	if len(names) == 0 {
		return fmt.Errorf("%s is not in the price list", output.Line(model))
	}
	return fmt.Errorf("%s is not in the price list; did you mean %s?", output.Line(model), output.Alternatives(names))
}

// sold reports whether a model has a price and isn't retired.
func sold(list *prices.List, registry models.Registry, p models.Provider, id string, now time.Time) bool {
	day := now.UTC().Format(time.RFC3339)
	return !registry.IsRetiredOn(p, id, now) && slices.ContainsFunc(list.ForModel(p, id), func(r prices.Row) bool {
		return r.ValidFrom <= day && (r.ValidUntil == "" || day < r.ValidUntil)
	})
}

// name splits a model id: claude-opus-5-5 has the words claude and opus, and version 5 5.
type name struct {
	id      string
	words   []string
	version []string
}

var parts = regexp.MustCompile(`[a-z]+|[0-9]+`)

func parse(id string) name {
	n := name{id: id}
	for _, part := range parts.FindAllString(strings.ToLower(id), -1) {
		if part[0] <= '9' {
			n.version = append(n.version, part)
		} else {
			n.words = append(n.words, part)
		}
	}
	return n
}

// match is a candidate and its distance from the unknown name.
type match struct {
	name
	edits, extra int // differing letters, and words missing from the unknown name
}

func (a match) compare(b match) int {
	return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(a.extra, b.extra), slices.CompareFunc(b.version, a.version, compareNumbers))
}

func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

func (n name) match(other name) (match, bool) {
	letters, digits := strings.Join(n.words, ""), strings.Join(n.version, "")
	m := match{name: other, extra: max(len(other.words)-len(n.words), 0)}
	left := min(maxEdits, len(n.id)/3)
	if digits != strings.Join(other.version, "") && digits != "" {
		if !slip(n.version, other.version) {
			return m, false
		}
		m.edits++
	}
	if len(letters) >= 3 && m.edits == 0 && contains(other.words, n.words) {
		return m, true
	}
	if digits == "" && len(other.version) > 0 {
		return m, false // don't correct a name without a version
	}
	m.edits += editdistance.Of(letters, strings.Join(other.words, ""))
	return m, m.edits <= left
}

// slip reports whether one digit was typed twice.
func slip(typed, version []string) bool {
	if len(typed) != len(version) {
		return false
	}
	slips := 0
	for i, number := range typed {
		if number != version[i] && !doubled(number, version[i]) {
			return false
		}
		slips += len(number) - len(version[i])
	}
	return slips == 1
}

func doubled(typed, number string) bool {
	for i := range number {
		if typed == number[:i+1]+number[i:] {
			return true
		}
	}
	return false
}

func contains(all, some []string) bool {
	return !slices.ContainsFunc(some, func(word string) bool { return !slices.Contains(all, word) })
}

package geminisku

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/gen/cloudbilling"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// modelNames are the distinct models in a price list.
type modelNames []modelName

type modelName struct {
	name   string   // as in SKUs
	words  []string // without the leading "gemini"
	joined string   // words without spaces: "ER 1.6" and "ER1.6" are the same model
}

// newModelNames expects names that start with "gemini" or are "".
func newModelNames(names []string) (m modelNames) {
	seen := map[string]bool{"": true}
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			words := strings.Fields(name)[1:]
			m = append(m, modelName{name, words, strings.Join(words, "")})
		}
	}
	return m
}

// match returns the spellings of the one model that hint means, or nil if no model
// matches. If hint is ambiguous, the error lists the possible models. hint is in the form
// of [Words], without the vendor. If anchored is set, it must match the start of the
// name. The first of these rules that applies decides:
//
//  1. the hint is the model
//  2. the hint is the model without its release, such as "preview" or "001"
//  3. the hint without its release is the model
//  4. the hint occurs in only one model name, and no later word can make it another model
func (m modelNames) match(hint []string, anchored bool) (map[string]bool, error) {
	if named, err := m.named(hint); named != nil || err != nil {
		return named, err
	}
	found := m.filter(func(model *modelName) bool { return contains(model.words, hint, anchored, anyWord) })
	if len(found) == 0 {
		return nil, nil //nolint:nilnil // nil is the empty set
	}
	// Words after the hint may rule out a model, but must not choose between two.
	one, err := m.spellings(found)
	if err == nil && len(m.filter(func(model *modelName) bool { return contains(model.words, hint, anchored, keepsModel) })) < len(found) {
		return nil, fmt.Errorf("the hint may mean another model than %s", joinNames(found))
	}
	return one, err
}

// named applies the first three rules, for a hint that is an id.
func (m modelNames) named(hint []string) (map[string]bool, error) {
	base, released := withoutRelease(hint)
	joinedHint, joinedBase := strings.Join(hint, ""), strings.Join(base, "")
	for _, matches := range []func(model *modelName) bool{
		func(model *modelName) bool { return model.joined == joinedHint },
		func(model *modelName) bool { return isReleaseOf(model.words, hint) },
		func(model *modelName) bool { return released != "" && model.joined == joinedBase },
		func(model *modelName) bool { return released == "latest" && isReleaseOf(model.words, base) },
	} {
		if found := m.filter(matches); len(found) > 0 {
			return m.spellings(found)
		}
	}
	return nil, nil //nolint:nilnil // nil is the empty set
}

// ofID returns the spellings of the model with an id, or nil if no model or more than one
// matches.
func (m modelNames) ofID(words []string) map[string]bool {
	hint, _ := withoutVendor(words)
	if len(hint) == 0 {
		return nil
	}
	names, _ := m.named(hint)
	return names
}

func (m modelNames) filter(keep func(*modelName) bool) (found []*modelName) {
	for i := range m {
		if keep(&m[i]) {
			found = append(found, &m[i])
		}
	}
	return found
}

// spellings returns all spellings of the named model. If named contains two models,
// that's an error.
func (m modelNames) spellings(named []*modelName) (map[string]bool, error) {
	first := named[0].joined
	for _, model := range named {
		if model.joined != first {
			return nil, fmt.Errorf("the hint may mean any of %s", joinNames(named))
		}
	}
	names := map[string]bool{}
	for _, model := range m.filter(func(model *modelName) bool { return model.joined == first }) {
		names[model.name] = true
	}
	return names, nil
}

// maxNames is the maximum number of models in an error.
const maxNames = 10

func joinNames(models []*modelName) string {
	var names []string
	for _, model := range models[:min(maxNames, len(models))] {
		names = append(names, model.name)
	}
	text := strings.Join(names, ", ")
	if len(models) > maxNames {
		return fmt.Sprintf("%s and %d more", text, len(models)-maxNames)
	}
	return text
}

func hasPrefix(model, name []string) bool {
	return len(model) >= len(name) && slices.Equal(model[:len(name)], name)
}

func isReleaseOf(model, name []string) bool {
	return hasPrefix(model, name) && all(model[len(name):], isRelease)
}

// contains reports whether model contains hint, followed only by allowed words. If
// anchored is set, hint must be at the start.
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

// isRelease reports whether a word names a release, not another model.
func isRelease(word string) bool {
	return word == "preview" || word == "exp" || word == "experimental" || word == "latest" || buildWord.MatchString(word)
}

// withoutRelease removes a release that API ids have and SKUs don't: preview, latest, or
// a stable build such as 001. Dated previews and experimental models had their own
// prices, so they stay.
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

// keepsModel reports whether a word after an incomplete name leaves the model unchanged:
// a version, family or release. Any other word, such as lite or image, may make it
// another model with another price.
func keepsModel(word string) bool {
	return isRelease(word) || versionWord.MatchString(word) || word == "flash" || word == "pro" || word == "ultra" || word == "nano"
}

func anyWord(string) bool { return true }

// withoutVendor removes leading vendor words. After "gemini", the hint is anchored.
func withoutVendor(words []string) (hint []string, anchored bool) {
	for len(words) > 0 && vendorWords[words[0]] {
		anchored = anchored || words[0] == "gemini"
		words = words[1:]
	}
	return words, anchored
}

var vendorWords = setOf("gemini", "google", "models")

// ModelOf returns a token SKU's model as an id without release, such as "gemini-3-flash".
// For other SKUs it returns "".
func ModelOf(description string) string {
	if c := classify(description); c.Direction != "" {
		return idOf(c.Model)
	}
	return ""
}

// KindOf returns the kind of token that a SKU prices, named as in cost lines, or "".
func KindOf(description string) string {
	c := classify(description)
	kind := string(c.Direction)
	switch {
	case kind == "":
		return ""
	case strings.Contains(c.Mode, ModeCached):
		kind = "cache_read"
	}
	if c.Modality == ModalityAudio || c.Modality == ModalityImage && c.Direction == Output {
		return c.Modality + "_" + kind
	}
	return kind
}

func idOf(name string) string { return strings.ReplaceAll(name, " ", "-") }

// Names returns a function that finds a model by an id such as gemini-3-flash-preview, or
// returns "". models are named as by [ModelOf].
func Names(models []string) func(id string) string {
	names := make([]string, len(models))
	for i, model := range models {
		names[i] = strings.ReplaceAll(model, "-", " ")
	}
	known := newModelNames(names)
	return func(id string) string {
		found := slices.Sorted(maps.Keys(known.ofID(Words(id))))
		if len(found) == 0 {
			return ""
		}
		return idOf(found[0])
	}
}

// inForce returns the current pricing expression: the one with the latest effectiveTime
// up to now, and the later one if two are equal. It returns nil if no entry applies, or a
// time is invalid. A single entry doesn't need a time.
func inForce(history []cloudbilling.PricingInfo, now time.Time) *cloudbilling.PricingExpression {
	if len(history) == 1 && history[0].EffectiveTime == "" {
		return history[0].PricingExpression
	}
	var current *cloudbilling.PricingExpression
	var since time.Time
	for _, entry := range history {
		at, err := time.Parse(time.RFC3339, entry.EffectiveTime)
		if err != nil {
			return nil
		}
		if !at.After(now) && !at.Before(since) {
			current, since = entry.PricingExpression, at
		}
	}
	return current
}

const tokensPerMillion = 1_000_000

// pricePerMillion returns the USD price of a million base units:
//
//	unitPrice / baseUnitConversionFactor * 1,000,000
//
// displayQuantity is only for display. The price is nil if the unit isn't a count, the
// currency isn't USD, rates depend on the amount used, or a number is invalid.
func pricePerMillion(e *cloudbilling.PricingExpression) *float64 {
	if e == nil || e.UsageUnit != "count" || e.BaseUnit != "count" {
		return nil
	}
	factor, ok := nonNegative(e.BaseUnitConversionFactor)
	if !ok || factor.Sign() == 0 {
		return nil
	}
	price, ok := onlyRate(e.TieredRates)
	if !ok {
		return nil
	}
	usd, _ := price.Quo(price, factor).Mul(price, big.NewRat(tokensPerMillion, 1)).Float64()
	return &usd
}

// onlyRate returns the price that all rates share. The first rate must start at 0,
// because otherwise the first units' price is unknown.
func onlyRate(rates []cloudbilling.TierRate) (only *big.Rat, ok bool) {
	for i, rate := range rates {
		start, readable := nonNegative(cmp.Or(rate.StartUsageAmount, &zero))
		price, priced := inUSD(rate.UnitPrice)
		if !readable || !priced || (i == 0 && start.Sign() != 0) || (i > 0 && price.Cmp(only) != 0) {
			return nil, false
		}
		only = price
	}
	return only, len(rates) > 0
}

// inUSD requires units or nanos. One may be absent, which means 0.
func inUSD(m *cloudbilling.Money) (*big.Rat, bool) {
	if m == nil || m.CurrencyCode != "USD" || (m.Units == nil && m.Nanos == nil) {
		return nil, false
	}
	units, unitsOK := integer(m.Units)
	nanos, nanosOK := integer(m.Nanos)
	amount := new(big.Rat).SetInt64(units)
	return amount.Add(amount, big.NewRat(nanos, nanosPerUnit)), unitsOK && nanosOK && nanos < nanosPerUnit
}

const nanosPerUnit = 1_000_000_000

// zero is the value that proto3 omits.
var zero = "0"

// integer parses a non-negative integer. nil means 0.
func integer(text *string) (int64, bool) {
	n, err := strconv.ParseInt(*cmp.Or(text, &zero), 10, 64)
	return n, err == nil && n >= 0
}

// nonNegative rejects NaN and Infinity, which proto3 writes as strings.
func nonNegative(text *string) (*big.Rat, bool) {
	const longest = 40 // far longer than any factor or amount
	if text == nil || len(*text) > longest {
		return nil, false
	}
	number, err := decimal.Parse(*text)
	if err != nil {
		return nil, false
	}
	r := number.Rat()
	return r, r.Sign() >= 0
}

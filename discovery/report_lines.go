package discovery

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/billing"
	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// besideCalls are parts of the names of line items whose costs arise beside calls: by the hour, by the gigabyte, by the training
// run or by contract. No cost of a call has them.
var besideCalls = []string{
	"storage", "training", "session", "container", "code interpreter", "code execution", "provisioned", "capacity", "scale tier", "priority tier",
}

// lineItemNote names the line items of the bill that calls cannot have, with their sum; "" when there are none, or when the bill
// was not grouped by line item.
func (r *ReconciliationReport[B]) lineItemNote() string {
	var names []string
	var total decimal.Sum
	for _, bucket := range r.Buckets {
		for _, item := range bucket.items() {
			if !isBesideCalls(item.name) {
				continue
			}
			total.Add(item.usd)
			if name := strconv.Quote(item.name); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	if n := len(names); n > maxListed {
		names = append(names[:maxListed], fmt.Sprintf("%d more", n-maxListed))
	}
	return fmt.Sprintf("not in any call: %s USD of the bill are %s", total.Total(), strings.Join(names, ", "))
}

// decimalOf returns the decimal that an amount was rounded from. One that is not finite, in a bucket that a program built, is 0.
func decimalOf(usd float64) decimal.Decimal {
	d, _ := decimal.Parse(fmt.Sprint(usd))
	return d
}

func isBesideCalls(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(besideCalls, func(part string) bool { return strings.Contains(name, part) })
}

// modelOf returns the model of a line item, or "". Without a field of the provider's own, the name may have one, as in
// "gpt-4o-mini-2024-07-18, input" or "Chat grok-3-mini": a word in the form of the provider's ids, with a version. Names for people
// ("GPT-4o mini") have capitals, and are not taken apart; an item with two models has none.
func (i *billedItem) modelOf(p models.Provider) string {
	switch {
	case i.model != "":
		return models.NormalizeModelID(p, i.model)
	case p == models.Gemini && strings.Contains(i.name, billing.TypeEnd):
		return ""
	case p == models.Gemini:
		return geminisku.ModelOf(i.name)
	}
	found := ""
	for _, word := range strings.FieldsFunc(i.name, func(r rune) bool { return r == ' ' || r == ',' }) {
		owner, ok := models.ProviderOf(word)
		switch {
		case !ok || owner != p || word != strings.ToLower(word) || !strings.ContainsAny(word, "0123456789"):
		case found != "" && found != word:
			return ""
		default:
			found = word
		}
	}
	return models.NormalizeModelID(p, found)
}

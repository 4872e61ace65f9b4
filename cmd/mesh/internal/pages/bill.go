package pages

import (
	"math/big"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Bill is a bill beside what was counted, by day and by model.
type Bill struct {
	provider models.Provider
	// counted is false for a bill alone.
	counted      bool
	days, models map[string]*compared
	// other has the line items that name no model.
	other compared
	items map[string]bool
}

// compared is a part of a bill beside the calls of that part.
type compared struct {
	name            string
	billed, counted big.Rat
	unpriced        int
	// known reports whether the cost of any of the calls is known.
	known bool
}

// uncounted reports whether there are calls, and the cost of none is known.
func (c *compared) uncounted() bool { return c.unpriced > 0 && !c.known }

func (c *compared) drift() *big.Rat { return new(big.Rat).Sub(&c.billed, &c.counted) }

// NewBill returns a bill without amounts. counted reports whether calls are compared with it.
func NewBill(p models.Provider, counted bool) *Bill {
	return &Bill{provider: p, counted: counted, days: make(map[string]*compared), models: make(map[string]*compared), items: make(map[string]bool)}
}

// AddDay adds what was billed on a day, such as "2026-11-21".
func (b *Bill) AddDay(day string, usd float64) { addUSD(&part(b.days, day).billed, usd) }

// AddItem adds a line item of a day. model is that of the provider's own field for it; if it is "", the item may name one.
func (b *Bill) AddItem(item, model string, usd float64) {
	if model == "" {
		model = itemModel(b.provider, item)
	}
	if model != "" {
		addUSD(&part(b.models, models.NormalizeModelID(b.provider, model)).billed, usd)
		return
	}
	addUSD(&b.other.billed, usd)
	if usd != 0 {
		b.items[item] = true
	}
}

// AddCalls adds the calls of a day and model.
func (b *Bill) AddCalls(day, model string, row *calls.Group) {
	for _, c := range []*compared{part(b.days, day), part(b.models, models.NormalizeModelID(b.provider, model))} {
		c.counted.Add(&c.counted, amount(row.USD))
		c.unpriced += row.Unpriced
		c.known = c.known || row.Unpriced < row.Calls
	}
}

func part(parts map[string]*compared, name string) *compared {
	if parts[name] == nil {
		parts[name] = &compared{name: name}
	}
	return parts[name]
}

// addUSD adds an amount as the decimal that it was rounded from.
func addUSD(sum *big.Rat, usd float64) {
	if exact, ok := new(big.Rat).SetString(output.Decimal(usd)); ok {
		sum.Add(sum, exact)
	}
}

// itemModel returns the model that a line item names, as in "gpt-4o-mini-2024-07-18, input" or "Chat grok-3-mini", or "". A model is
// a word in the form of the provider's ids, with a version. Names for people ("GPT-4o mini") have capitals, and are not taken
// apart; an item with two models has none.
func itemModel(p models.Provider, item string) string {
	found := ""
	for _, word := range strings.FieldsFunc(item, func(r rune) bool { return r == ' ' || r == ',' }) {
		owner, ok := models.ProviderOf(word)
		switch {
		case !ok || owner != p || word != strings.ToLower(word) || !strings.ContainsAny(word, "0123456789"):
		case found != "" && found != word:
			return ""
		default:
			found = word
		}
	}
	return found
}

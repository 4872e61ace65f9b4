package prices

import (
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// PricingForAnthropicModel returns today's standard row of an Anthropic model in the built-in list, and reports whether the list has a price of
// the model. The id is looked up as [List.ForModel] does, and then without its build. Of two rows it is the one for short prompts.
func PricingForAnthropicModel(id string) (Row, bool) {
	list := BuiltIn().table
	rows := list.Model(string(models.Anthropic), id)
	if rows == nil {
		rows = firstRows(list, models.Anthropic, lookupNames(models.Anthropic, id))
	}
	if len(rows) > 0 && rows[0].SameAs != "" {
		rows = list.Model(string(models.Anthropic), rows[0].SameAs)
	}
	row, _ := pricelist.InForce(rows, pricelist.Kind{}, time.Now(), 0)
	if row == nil || !row.Priced() {
		return Row{}, false
	}
	return rowOf(row), true
}

// ListAnthropicPricing returns the rows of the built-in list for Anthropic that are in force today: one for each priced id, or two if the
// price depends on the length of the prompt, the row for shorter prompts first.
func ListAnthropicPricing() []Row {
	now := time.Now()
	rows := slices.DeleteFunc(slices.Clone(BuiltIn().table.Rows()), func(r pricelist.Row) bool {
		return r.Provider != string(models.Anthropic) || r.SameAs != "" || !r.Priced() || !r.ValidAt(now)
	})
	return rowsOf(rows)
}

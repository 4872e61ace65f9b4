package bills

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// named limits the cells and items in the sentences.
const named = 3

// String returns the Sentences, one per line.
func (c *Comparison) String() string { return strings.Join(c.Sentences(), "\n") }

// Sentences describes the comparison: first whether it's within the limit, in less than
// 80 characters, then the sums, the cells that differ most, and notes for judging the
// difference.
func (c *Comparison) Sentences() []string {
	if c.Calls == 0 {
		billed := money.Format{Minus: minus, Places: cents, Small: millionths, Limit: cent}.Text(rat(c.Total.BilledUSD))
		return []string{c.verdict(), "Billed " + billed + " USD."}
	}
	r, places := c.Rounded(), c.Total.places()
	sum := func(rounded, exact prices.USD) string {
		if rounded == "0" {
			rounded = exact // "<0.01"
		}
		return money.Format{Minus: minus, Places: places, Least: true}.Text(rat(rounded))
	}
	billed, counted := sum(r.Total.BilledUSD, c.Total.BilledUSD), sum(r.Total.CountedUSD, c.Total.CountedUSD)
	all := []string{c.verdict(), fmt.Sprintf("Billed %s USD, counted %s USD; %s.", billed, counted, r.Total.explain(places))}
	for i := range min(named, len(r.Cells)) {
		if p := &r.Cells[i]; p.Cause != "" && (p.Model != "" || len(r.Cells) > 1) {
			all = append(all, strings.TrimSpace(p.Name+": "+p.explain(places))+".")
		}
	}
	if len(c.OtherItems) > 0 {
		all = append(all, "No model: "+c.others()+".")
	}
	if c.Total.Unpriced > 0 {
		all = append(all, r.unpriced(places))
	}
	return all
}

func (c *Comparison) verdict() string {
	limit := strconv.FormatFloat(c.LimitPercent, 'f', -1, 64)
	if len(limit) > len("0.0001") {
		limit = strconv.FormatFloat(c.LimitPercent, 'f', 2, 64)
	}
	switch {
	case c.Calls == 0:
		return "There are no calls to compare with the bill."
	case rat(c.Total.BilledUSD).Sign() == 0:
		return "Nothing was billed."
	case c.Within:
		most := ""
		if c.Total.Unpriced > 0 {
			most = "at most "
		}
		return fmt.Sprintf("Bill and calls differ by %s%s of the bill, within the limit of %s %%.", most, c.percent(true), limit)
	case c.Known:
		return fmt.Sprintf("Bill and calls differ by %s of the bill, more than the limit of %s %%.", c.percent(false), limit)
	}
	return fmt.Sprintf("Unknown whether bill and calls differ by more than %s %% of the bill.", limit)
}

// percent returns the largest or smallest difference in the range, as a percentage of
// the bill.
func (c *Comparison) percent(largest bool) string {
	usd, other := abs(rat(c.Range.LowUSD)), abs(rat(c.Range.HighUSD))
	if (other.Cmp(usd) > 0) == largest {
		usd = other
	}
	return mul(big.NewRat(100, 1), quo(usd, abs(rat(c.Total.BilledUSD)))).FloatString(1) + " %"
}

func (c *Comparison) others() string {
	var names []string
	for _, name := range c.OtherItems[:min(named, len(c.OtherItems))] {
		if name == "" {
			names = append(names, "an item without a name")
		} else {
			names = append(names, strconv.Quote(name))
		}
	}
	if n := len(c.OtherItems) - named; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}

func (c *Comparison) unpriced(places int) string {
	text := "1 call has no known cost"
	if c.Total.Unpriced != 1 {
		text = money.Separated(strconv.Itoa(c.Total.Unpriced)) + " calls have no known cost"
	}
	if c.Range.LowUSD == "" {
		return text + "."
	}
	return fmt.Sprintf("%s; if each costs at most what the dearest others do, the difference is %s to %s USD.", text, signed(c.Range.LowUSD, places), signed(c.Range.HighUSD, places))
}

var words = map[Cause]string{
	NotCountedModel: "for a model that was not counted", MissingCalls: "for calls that were not counted", ExtraCalls: "for calls that are not on the bill",
	UnpricedCalls: "for calls without a known cost", DayBorder: "for calls at the border of a day", PartialDay: "for the rest of a day that is billed in part",
	AnotherPrice: "another price", Fees: "for fees and credits", AmountDiffers: "for calls or prices, which the bill does not tell apart",
}

// Explain returns the difference with its effects of a cent or more, as in "+2.24 USD:
// +2.54 for calls that were not counted, −0.30 another price", or "+2.54 USD for calls
// that were not counted". To show parts next to [Comparison.Sentences], take them from
// [Comparison.Rounded]: then cents add up.
func (p *Part) Explain() string {
	places := p.places()
	rounded := p.rounded(places)
	return rounded.explain(places)
}

// explain needs a rounded part.
func (p *Part) explain(places int) string {
	text := signed(p.DriftUSD, places) + " USD"
	if len(p.Effects) == 1 {
		if word := words[p.Effects[0].Cause]; strings.HasPrefix(word, "for ") {
			return text + " " + word
		}
		return text + ": " + words[p.Effects[0].Cause]
	}
	var effects []string
	for _, e := range p.Effects {
		effects = append(effects, signed(e.USD, places)+" "+words[e.Cause])
	}
	return strings.TrimSuffix(text+": "+strings.Join(effects, ", "), ": ")
}

const minus = "−"

// signed writes "+" before a positive amount.
func signed(usd prices.USD, places int) string {
	return money.Format{Plus: "+", Minus: minus, Places: places}.Text(rat(usd))
}

// MarshalJSON writes the fields and the sentences.
func (c *Comparison) MarshalJSON() ([]byte, error) {
	type plain Comparison
	return json.Marshal(struct {
		*plain
		Sentences []string `json:"sentences"`
	}{(*plain)(c), c.Sentences()})
}

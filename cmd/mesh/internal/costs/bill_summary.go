package costs

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/costtable"
)

// withoutName is the name of calls without a model.
const withoutName = "(without)"

// BillSummary returns one line with the sums of a bill and of what was counted, and the days and models that differ most. compared reports
// whether a call was counted; a bill without calls has no drift.
func BillSummary(b *discovery.BillComparison, compared bool) string {
	total, counted := &b.Total, notKnown
	if total.CountedUSD != "" {
		counted = decimal(costtable.Exact(total.CountedUSD)) + " USD"
	}
	sums := fmt.Sprintf("counted %s, billed %s USD, unpriced calls: %d, ", counted, decimal(costtable.Exact(total.BilledUSD)), total.Unpriced)
	switch {
	case total.CountedUSD == "", !compared:
		sums += "drift not known"
	case total.Unpriced > 0:
		sums += fmt.Sprintf("drift not known (without them %s USD)", signed(costtable.Exact(total.DriftUSD)))
	default:
		sums += "drift " + signed(costtable.Exact(total.DriftUSD)) + " USD" + percent(total) + because(total)
	}
	other := otherName(b.OtherItems)
	if other != "" {
		other += " " + signed(costtable.Exact(b.OtherUSD))
	}
	all := []string{sums, mostDifferent("most by day: ", b.Days), mostDifferent("by model: ", b.Models), output.Line(other), daysOf(b)}
	if !compared {
		all = []string{sums, daysOf(b)}
	}
	return strings.Join(slices.DeleteFunc(all, func(fact string) bool { return fact == "" }), "; ")
}

// daysOf names the days that were compared.
func daysOf(b *discovery.BillComparison) string {
	if len(b.Days) == 0 {
		return ""
	}
	first, last := b.Days[0].Name, b.Days[len(b.Days)-1].Name
	if first == last {
		return "day: " + first
	}
	return "days: " + first + " to " + last
}

// percent returns the drift in percent of what was counted, as in " (-1.5 %)".
func percent(total *discovery.BillPart) string {
	counted, drift := costtable.Exact(total.CountedUSD), costtable.Exact(total.DriftUSD)
	if counted.Sign() <= 0 {
		return ""
	}
	ratio := drift.Quo(drift, counted)
	return fmt.Sprintf(" (%s %%)", withoutSign(ratio.Mul(ratio, big.NewRat(100, 1)).FloatString(1)))
}

// because returns the cause of a drift, as in " (another price)"; "" if it is not known, or if the drift rounds to 0.
func because(p *discovery.BillPart) string {
	if p.Cause == "" || signed(costtable.Exact(p.DriftUSD)) == "0" {
		return ""
	}
	if p.Cause == discovery.CauseMissingCalls && strings.HasPrefix(p.DriftUSD, "-") {
		return " (missing in the bill)"
	}
	return " (" + strings.ReplaceAll(string(p.Cause), "_", " ") + ")"
}

// mostDifferent names the parts with the largest differences.
func mostDifferent(what string, parts []discovery.BillPart) string {
	const named = 3
	var names []string
	for _, c := range byDrift(parts) {
		drift := signed(costtable.Exact(c.DriftUSD))
		if len(names) == named || drift == "0" {
			break
		}
		names = append(names, cmp.Or(c.Name, withoutName)+" "+drift+because(&c))
	}
	if names == nil {
		return ""
	}
	return what + output.Line(strings.Join(names, ", "))
}

// byDrift returns the parts, the largest difference first.
func byDrift(parts []discovery.BillPart) []discovery.BillPart {
	all := slices.Clone(parts)
	slices.SortStableFunc(all, func(x, y discovery.BillPart) int {
		dx, dy := costtable.Exact(x.DriftUSD), costtable.Exact(y.DriftUSD)
		return dy.Abs(dy).Cmp(dx.Abs(dx))
	})
	return all
}

// otherName names the line items without a model; "" without any.
func otherName(items []string) string {
	const named = 3
	var names []string
	for _, item := range items {
		name := "costs without a line item"
		if item != "" {
			name = strconv.Quote(item)
		}
		names = append(names, name)
	}
	if names == nil {
		return ""
	}
	if n := len(names); n > named {
		names = append(names[:named], fmt.Sprintf("%d more", n-named))
	}
	return "other (no model in " + strings.Join(names, ", ") + ")"
}

// decimal returns an amount with up to six decimal places.
func decimal(usd *big.Rat) string {
	return withoutSign(strings.TrimSuffix(strings.TrimRight(usd.FloatString(6), "0"), "."))
}

// withoutSign removes the sign of a zero, to which a small amount was rounded.
func withoutSign(text string) string {
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

func signed(usd *big.Rat) string {
	if text := decimal(usd); text == "0" || usd.Sign() < 0 {
		return text
	}
	return "+" + decimal(usd)
}

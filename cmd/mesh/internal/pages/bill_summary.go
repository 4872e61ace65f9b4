package pages

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// total returns the sums of all days.
func (b *Bill) total() *compared {
	total := &compared{name: "total"}
	for _, day := range b.days {
		total.billed.Add(&total.billed, &day.billed)
		total.counted.Add(&total.counted, &day.counted)
		total.unpriced += day.unpriced
		total.known = total.known || day.known
	}
	return total
}

// Summary returns one line with the sums, and the days and models that differ most.
func (b *Bill) Summary() string { return strings.Join(b.facts(), "; ") }

// facts returns the parts of the summary.
func (b *Bill) facts() []string {
	total := b.total()
	counted := decimal(&total.counted) + " USD"
	if total.uncounted() {
		counted = notKnown
	}
	sums := fmt.Sprintf("counted %s, billed %s USD, unpriced calls: %d, ", counted, decimal(&total.billed), total.unpriced)
	switch {
	case total.uncounted():
		sums += "drift not known"
	case total.unpriced > 0:
		sums += fmt.Sprintf("drift not known (without them %s USD)", signed(total.drift()))
	default:
		sums += "drift " + signed(total.drift()) + " USD" + percent(total)
	}
	other := b.otherName()
	if other != "" {
		other += " " + signed(b.other.drift())
	}
	all := []string{sums, mostDifferent("most by day: ", b.days), mostDifferent("by model: ", b.models), output.Line(other)}
	return slices.DeleteFunc(all, func(fact string) bool { return fact == "" })
}

// percent returns the drift in percent of what was counted, as in " (-1.5 %)".
func percent(total *compared) string {
	if total.counted.Sign() <= 0 {
		return ""
	}
	ratio := new(big.Rat).Quo(total.drift(), &total.counted)
	return fmt.Sprintf(" (%s %%)", withoutSign(ratio.Mul(ratio, big.NewRat(100, 1)).FloatString(1)))
}

// mostDifferent names the parts with the largest differences.
func mostDifferent(what string, parts map[string]*compared) string {
	const named = 3
	var names []string
	for _, c := range byDrift(parts) {
		if len(names) == named || signed(c.drift()) == "0" {
			break
		}
		names = append(names, cmp.Or(c.name, withoutName)+" "+signed(c.drift()))
	}
	if names == nil {
		return ""
	}
	return what + output.Line(strings.Join(names, ", "))
}

// byDrift returns the parts, the largest difference first.
func byDrift(parts map[string]*compared) []*compared {
	var all []*compared
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		all = append(all, parts[name])
	}
	slices.SortStableFunc(all, func(x, y *compared) int {
		dx, dy := x.drift(), y.drift()
		return dy.Abs(dy).Cmp(dx.Abs(dx))
	})
	return all
}

// otherName names the line items without a model; "" without any.
func (b *Bill) otherName() string {
	const named = 3
	var names []string
	for _, item := range slices.Sorted(maps.Keys(b.items)) {
		names = append(names, strconv.Quote(item))
	}
	if b.items[""] {
		names[0] = "costs without a line item"
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

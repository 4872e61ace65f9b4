package prices

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/money"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

// priceCard writes the prices of a model for a terminal, on which the eleven columns of the table do not fit: those of today first, and
// when the model retires.
func priceCard(w io.Writer, model string, list []prices.Row, now time.Time) error {
	width, today := output.Width(w), now.UTC().Format(time.DateOnly)
	line := func(format string, args ...any) {
		fmt.Fprintln(w, output.Mark(w, table.Paragraph(output.Line(fmt.Sprintf(format, args...)), width)))
	}
	line("%s (%s), USD per million tokens", model, list[0].Provider)
	for _, period := range periods(list, today) {
		line("")
		title := periodTitle(&period[0], today)
		if isUnknown(period) {
			line("%s%s: not known", cmp.Or(title, "Now"), priceNames(model, period))
			continue
		}
		if title != "" {
			line("%s:", title)
		}
		if err := pricesOfPeriod(w, model, period); err != nil {
			return err
		}
	}
	status := models.Retirements().Check(list[0].Provider, model, now)
	if status.Date == "" {
		return nil
	}
	line("")
	verb := "Retires"
	if status.State == models.StateRetired {
		verb = "Retired"
	}
	line("%s on %s. Replacement: %s.", verb, status.Date, cmp.Or(status.Replacement, "not known"))
	if status.Replacement != "" {
		line("Next: mesh price %s", status.Replacement)
	}
	return nil
}

// periods returns the rows by period, the present one first, then later and earlier ones as they are.
func periods(list []prices.Row, today string) (all [][]prices.Row) {
	for _, p := range list {
		i := slices.IndexFunc(all, func(period []prices.Row) bool {
			return date(period[0].ValidFrom) == date(p.ValidFrom) && date(period[0].ValidUntil) == date(p.ValidUntil)
		})
		if i < 0 {
			all = append(all, []prices.Row{p})
		} else {
			all[i] = append(all[i], p)
		}
	}
	place := func(period []prices.Row) int { return order(periodTitle(&period[0], today)) }
	slices.SortStableFunc(all, func(a, b []prices.Row) int { return cmp.Compare(place(a), place(b)) })
	return slices.CompactFunc(all, func(a, b []prices.Row) bool { // what begins to be unknown stays so
		return place(a) == later && place(b) == later && isUnknown(a) && isUnknown(b) && priceNames("", a) == priceNames("", b)
	})
}

// isUnknown reports whether no row has a price. Such rows begin where the announced prices end.
func isUnknown(list []prices.Row) bool {
	return !slices.ContainsFunc(list, func(r prices.Row) bool {
		return slices.ContainsFunc(amounts(&r), func(usd string) bool { return usd != output.Unknown })
	})
}

// later is the order of periods that have not begun.
const later = 1

// order puts the present period, which may have an end, before others.
func order(title string) int {
	switch {
	case title == "" || strings.HasPrefix(title, "Now"):
		return 0
	case strings.HasPrefix(title, "From"):
		return later
	}
	return 2
}

// periodTitle returns when the prices of a row are valid; "" if that is now, without an end.
func periodTitle(p *prices.Row, today string) string {
	from, until := date(p.ValidFrom), date(p.ValidUntil)
	switch {
	case until != "" && until <= today:
		return "Before " + until
	case from > today:
		return "From " + from
	case until != "":
		return "Now, and before " + until
	}
	return ""
}

// date returns the day of a time, or "" for none.
func date(text string) string { return text[:min(len(text), len(time.DateOnly))] }

// priceNames returns what the prices of rows are for, behind the title of a period; "" if that is any prompt.
func priceNames(model string, list []prices.Row) string {
	var names strings.Builder
	for i := range list {
		name := priceName(model, &list[i])
		if name == anyPrompt {
			return ""
		}
		names.WriteString(", " + name)
	}
	return names.String()
}

// pricesOfPeriod writes a row for each mode and length of the prompt.
func pricesOfPeriod(w io.Writer, model string, list []prices.Row) error {
	number := func(title string, drop int) table.Column {
		return table.Column{Title: title, Right: true, Drop: drop, Late: true}
	}
	columns := []table.Column{table.Key(""), number("INPUT", 0), number("CACHE READ", 3), number("5M WRITE", 2), number("1H WRITE", 1), number("OUTPUT", 0)}
	return output.Table(w, columns, table.Rows(list, func(p *prices.Row) []string {
		return append([]string{priceName(model, p)}, amounts(p)...)
	}))
}

const anyPrompt = "any prompt"

// priceName returns what the prices of a row are for.
func priceName(model string, p *prices.Row) string {
	name := anyPrompt
	if p.TierThresholdTokens > 0 {
		name = fmt.Sprintf("prompts from %s tokens", money.Separated(fmt.Sprint(p.TierThresholdTokens)))
	}
	if mode := strings.TrimSpace(p.Mode); mode != "" && mode != prices.ModeStandard {
		name = mode + ", " + name
	}
	if p.Modality != "" && p.Modality != prices.ModalityText {
		name = p.Modality + ", " + name
	}
	if p.ModelHint != model && p.ModelHint != "" {
		name += " of " + p.ModelHint
	}
	return name
}

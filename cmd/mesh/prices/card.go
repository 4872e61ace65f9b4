package prices

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// priceCard writes the prices of a model for a terminal, on which the eleven columns of the table do not fit: those of today first, and
// when the model retires.
func priceCard(w io.Writer, model string, list []prices.Row, now time.Time) error {
	width, today := output.Width(w), now.UTC().Format(time.DateOnly)
	line := func(format string, args ...any) {
		fmt.Fprintln(w, output.Mark(w, table.Paragraph(output.Line(fmt.Sprintf(format, args...)), width)))
	}
	line("%s (%s), USD per million tokens", model, list[0].Provider)
	for _, p := range periodsOf(list, today) {
		line("")
		if isUnknown(p.rows) {
			line("%s%s: not known", cmp.Or(p.title, "Now"), priceNames(model, p.rows))
			continue
		}
		if p.title != "" {
			line("%s:", p.title)
		}
		if err := pricesOfPeriod(w, model, p.rows); err != nil {
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

// period is a time with its prices. The present one has the place 0, later ones 1 and earlier ones 2. The title is "" if the prices hold
// now, without an end.
type period struct {
	place int
	title string
	rows  []prices.Row
}

// periodsOf returns the rows by period, the present one first, then later and earlier ones as they are.
func periodsOf(list []prices.Row, today string) (all []period) {
	for _, row := range list {
		p := periodOf(&row, today)
		i := slices.IndexFunc(all, func(other period) bool { return other.title == p.title })
		if i < 0 {
			i, all = len(all), append(all, p)
		}
		all[i].rows = append(all[i].rows, row)
	}
	slices.SortStableFunc(all, func(a, b period) int { return cmp.Compare(a.place, b.place) })
	return slices.CompactFunc(all, func(a, b period) bool { // what begins to be unknown stays so
		return a.place == 1 && b.place == 1 && isUnknown(a.rows) && isUnknown(b.rows) && priceNames("", a.rows) == priceNames("", b.rows)
	})
}

// periodOf returns the period of a row, without rows.
func periodOf(r *prices.Row, today string) period {
	from, until := date(r.ValidFrom), date(r.ValidUntil)
	switch {
	case until != "" && until <= today:
		return period{place: 2, title: "Before " + until}
	case from > today:
		return period{place: 1, title: "From " + from}
	case until != "":
		return period{title: "Now, and before " + until}
	}
	return period{}
}

// isUnknown reports whether no row has a price. Such rows begin where the announced prices end.
func isUnknown(list []prices.Row) bool {
	return !slices.ContainsFunc(list, func(r prices.Row) bool {
		return slices.ContainsFunc(amounts(&r), func(usd string) bool { return usd != output.Unknown })
	})
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

package retired

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/page"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

const usedDays = 28

// usedModel is a JSON row for mesh retired --used.
type usedModel struct {
	retirement
	// Platform served the calls; "" is the provider's own API.
	Platform string     `json:"platform,omitempty"`
	Calls    int        `json:"calls"`
	Unpriced int        `json:"unpriced"`
	USD      prices.USD `json:"usd"`
	// ReplacedUSD is the replacement's cost for the same tokens at its current price, for
	// calls with a known cost. SameUSD is what those calls cost. Both are "" if unknown.
	ReplacedUSD prices.USD `json:"replaced_usd,omitempty"`
	SameUSD     prices.USD `json:"same_usd,omitempty"`
	// Stage and ReportedDate are from the newest response with a status, or "".
	Stage        string `json:"model_stage"`
	ReportedDate string `json:"retirement_date"`
}

func (o *Options) retiredUsed(ctx context.Context, soon time.Duration) error {
	if len(o.args) == 0 {
		return exit.Usagef("--used needs a calls file or a directory, as mesh meter --log writes them")
	}
	list, _, err := o.PriceList()
	if err != nil {
		return err
	}
	in, err := o.OpenCalls(o.args)
	if err != nil {
		return err
	}
	defer in.Close()
	today := time.Now().UTC().Truncate(24 * time.Hour)
	from := today.AddDate(0, 0, -usedDays)
	rows, unread := o.SumCalls(calls.Options{
		From: from, Prices: list, By: [][]string{byModel, append(slices.Clone(byModel), calls.ByDay, calls.ByModelStage, calls.ByRetirementDate)},
	}, in)
	if len(rows[0]) == 0 {
		if unread != nil {
			return unread
		}
		o.Warn(fmt.Errorf("there are no calls in the last %d days", usedDays))
	}
	check, err := o.checker(ctx, soon)
	if err != nil {
		return err
	}
	used, found := check.used(rows[0], rows[1])
	r, err := page.ReadReport(o.App, report.Options{From: from, To: today.AddDate(0, 0, 1), Prices: list}, in, nil)
	if err != nil {
		return err
	}
	for i := range used {
		used[i].replace(r.Retiring)
	}
	if err := o.printUsed(used); err != nil || unread != nil {
		return errors.Join(err, unread)
	}
	return exit.If(found)
}

var byModel = []string{calls.ByProvider, calls.ByPlatform, calls.ByModel}

// used returns models that are retired, deprecated or retire soon, according to the
// registry or to responses. found reports whether a date has passed or is soon. days
// are rows by day.
func (c checker) used(rows, days []calls.Group) (used []usedModel, found bool) {
	used = []usedModel{}
	for _, row := range rows {
		p, platform, id := models.Provider(row.Value(calls.ByProvider)), row.Value(calls.ByPlatform), row.Value(calls.ByModel)
		m := usedModel{
			retirement: retirement{p, id, c.registry.CheckOn(platform, p, id, c.today)},
			Platform:   platform, Calls: row.Calls, Unpriced: row.Unpriced, USD: row.USD,
		}
		m.report(row.Values, days)
		finds := c.finds(m.retirement) || c.isSoon(m.ReportedDate)
		if finds || m.ends() {
			used = append(used, m)
		}
		found = found || finds
	}
	return used, found
}

// replace copies the replacement's cost from the report if both have the same
// replacement.
func (m *usedModel) replace(rows []report.Retiring) {
	for _, row := range rows {
		if row.ModelID == (report.ModelID{Provider: m.Provider, Platform: m.Platform, Model: m.Model}) && row.Replacement == m.Replacement && row.Same != nil {
			m.ReplacedUSD, m.SameUSD = row.Same.USD, row.SameUSD
		}
	}
}

// report copies the status from the newest response. days must be sorted by day for each
// model.
func (m *usedModel) report(by []string, days []calls.Group) {
	for _, row := range days {
		stage, date := row.Value(calls.ByModelStage), row.Value(calls.ByRetirementDate)
		if slices.Equal(row.Values[:len(byModel)], by) && stage+date != "" {
			m.Stage, m.ReportedDate = stage, date
		}
	}
}

// ends reports whether the model is deprecated, or a response says so or that it's legacy
// or retired. Such models may lack a date.
func (m *usedModel) ends() bool {
	return m.State == models.StateDeprecated || m.Stage == "LEGACY" || m.Stage == "DEPRECATED" || m.Stage == "RETIRED"
}

// reported formats the status from responses, or returns "" if it adds nothing to the
// date.
func (m *usedModel) reported() string {
	if m.ReportedDate == m.Date && (m.ReportedDate != "" || !m.ends()) {
		return ""
	}
	return strings.TrimSpace(m.ReportedDate + " " + strings.ToLower(m.Stage))
}

func (o *Options) printUsed(list []usedModel) error {
	return o.Print(list, func(w io.Writer) error {
		columns := []table.Column{table.Plain("PROVIDER", 1), table.Key("MODEL"), output.Marked(w, table.Plain("STATE", 4)), table.Plain("DATE", 0), table.Key("REPLACEMENT"), table.Plain("CALLS", 5), table.Plain("UNPRICED", 3), table.Plain("USD", 0), table.Plain("REPORTED", 2)}
		if slices.ContainsFunc(list, func(m usedModel) bool { return m.ReplacedUSD != "" }) {
			columns = append(columns, table.Plain("REPLACED", 6))
		}
		return output.Table(w, columns, table.Rows(list, func(m *usedModel) []string {
			replaced := string(m.ReplacedUSD)
			if m.SameUSD != "" && m.SameUSD != m.USD { // other calls have no known cost
				replaced = string(m.SameUSD) + " > " + replaced
			}
			return []string{
				cmp.Or(m.Platform, string(m.Provider), output.Unknown), m.Model, string(m.State), output.Known(m.Date), output.Known(m.Replacement),
				strconv.Itoa(m.Calls), strconv.Itoa(m.Unpriced), string(m.USD), output.Known(m.reported()), output.Known(replaced),
			}[:len(columns)]
		}))
	})
}

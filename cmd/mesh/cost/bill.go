package cost

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/selection"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// billQuery returns the bill of the arguments.
func billQuery(provider string, f Options) (q costs.BillQuery, err error) {
	p, err := models.ParseProvider(provider)
	switch {
	case err != nil || adminKeys[p] == "" && p != models.Gemini:
		return q, exit.Usagef("there is no bill of %q; mesh cost accepts openai, anthropic, xai and gemini", provider)
	case f.bill == "-" && f.usage == "-":
		return q, exit.Usagef("--bill and --usage cannot both be stdin")
	case f.bill == "" && p == models.Gemini:
		return q, exit.Usagef("Google has no API for bills; export them from Cloud Billing to BigQuery, and pass the rows with --bill FILE")
	case f.bill == "" && f.From == "" && f.Last == "":
		return q, exit.Usagef("--from or --last is missing; a bill from a file, --bill FILE, needs none")
	}
	q.Provider = p
	switch {
	case f.Last != "":
		q.From, q.To, err = selection.LastDays(f.Last, time.Now())
	case f.bill != "":
		err = f.savedWindow(&q)
	default:
		err = f.window(&q)
	}
	return q, err
}

// savedWindow reads the days of a bill in a file: all of it by default.
func (f Options) savedWindow(q *costs.BillQuery) (err error) {
	if f.From != "" {
		if q.From, err = day("--from", f.From); err != nil {
			return err
		}
	}
	if f.To != "" {
		if q.To, err = day("--to", f.To); err != nil {
			return err
		}
	}
	if f.From != "" && f.To != "" && !q.From.Before(q.To) {
		return exit.Usagef("--from must be before --to, which is the day after the last day of the bill")
	}
	return nil
}

// window reads the days of a bill that is requested.
func (f Options) window(q *costs.BillQuery) (err error) {
	from, to := f.From, f.To
	if q.From, err = day("--from", from); err != nil {
		return err
	}
	if q.To, err = day("--to", to); err != nil {
		return err
	}
	switch {
	case q.From.Before(q.To):
		return nil
	case to == "":
		return exit.Usagef("--from %s: a bill has whole UTC days, the last of which is yesterday, %s", from, q.To.AddDate(0, 0, -1).Format(time.DateOnly))
	default:
		return exit.Usagef("--from must be before --to, which is the day after the last day of the bill")
	}
}

// day reads a UTC day of the window; "" is today.
func day(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Now().UTC().Truncate(24 * time.Hour), nil
	}
	t, ok := dates.Day(text, time.Now())
	if !ok {
		return time.Time{}, exit.Usagef("%s %q must be a day such as 2026-11-01, or 7d for seven days ago", flag, text)
	}
	return t, nil
}

// readBill reads the bill of --bill, and sets the window of the query.
func readBill(a *app.App, q *costs.BillQuery, name string) error {
	var in io.Reader
	if name == "-" {
		in = a.ReadingStdin()
	} else {
		file, err := os.Open(name) //nolint:gosec // the user names the file
		if err != nil {
			return exit.Usagef("--bill %s: %w", name, exit.WithoutPath(err))
		}
		defer file.Close()
		in = a.ReadingFile("reading the bill", file)
	}
	err := q.ReadBill(in)
	var value *discovery.ValueError
	switch {
	case errors.As(err, &value):
		return exit.Usagef("--from and --to: the bill in %s has no such days", name)
	case err != nil:
		return exit.Usagef("--bill %s: %w", name, err)
	case q.IgnoredRows > 0:
		a.Progress.Stop()
		fmt.Fprintf(a.Errs, "mesh: rows of other services, which are ignored: %d\n", q.IgnoredRows)
	}
	return nil
}

package cost

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/selection"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// billQuery returns the bill of the arguments.
func (o *Options) billQuery() (q costs.BillQuery, err error) {
	q.Provider, err = models.ParseProvider(o.provider)
	switch {
	case err != nil || adminKeys[q.Provider] == "" && q.Provider != models.Gemini:
		return q, exit.Usagef("there is no bill of %q; mesh cost accepts openai, anthropic, xai and gemini", o.provider)
	case o.bill == "-" && o.usage == "-":
		return q, exit.Usagef("--bill and --usage cannot both be stdin")
	case o.bill == "" && q.Provider == models.Gemini:
		return q, exit.Usagef("Google has no API for bills; export them from Cloud Billing to BigQuery, and pass the rows with --bill FILE")
	case o.bill == "" && o.From == "" && o.Last == "":
		return q, exit.Usagef("--from or --last is missing; a bill from a file, --bill FILE, needs none")
	case o.Last != "":
		q.From, q.To, err = selection.LastDays(o.Last, time.Now())
		return q, err
	}
	return q, o.window(&q)
}

// window reads the days of a bill: all of one in a file by default.
func (o *Options) window(q *costs.BillQuery) (err error) {
	if o.From != "" {
		if q.From, err = day("--from", o.From); err != nil {
			return err
		}
	}
	if o.To != "" || o.bill == "" {
		if q.To, err = day("--to", o.To); err != nil {
			return err
		}
	}
	switch {
	case o.From == "" || q.To.IsZero() || q.From.Before(q.To):
		return nil
	case o.To == "":
		return exit.Usagef("--from %s: a bill has whole UTC days, the last of which is yesterday, %s", o.From, q.To.AddDate(0, 0, -1).Format(time.DateOnly))
	}
	return exit.Usagef("--from must be before --to, which is the day after the last day of the bill")
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
func (o *Options) readBill(q *costs.BillQuery) error {
	var in io.Reader
	if o.bill == "-" {
		in = o.ReadingStdin()
	} else {
		file, err := os.Open(o.bill)
		if err != nil {
			return exit.Usagef("--bill %s: %w", o.bill, exit.WithoutPath(err))
		}
		defer file.Close()
		in = o.ReadingFile("reading the bill", file)
	}
	err := q.ReadBill(in)
	var value *discovery.ValueError
	switch {
	case errors.As(err, &value):
		return exit.Usagef("--from and --to: the bill in %s has no such days", o.bill)
	case err != nil:
		return exit.Usagef("--bill %s: %w", o.bill, err)
	case q.IgnoredRows > 0:
		o.Progress.Stop()
		fmt.Fprintf(o.Errs, "mesh: rows of other services, which are ignored: %d\n", q.IgnoredRows)
	}
	return nil
}

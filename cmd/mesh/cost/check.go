package cost

import (
	"math"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/page"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/selection"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// check checks the arguments, and sets the provider, the days and the labels.
func (o *Options) check() (err error) {
	if !(o.maxDrift >= 0) || math.IsInf(o.maxDrift, 0) { // NaN too
		return exit.Usagef("--max-drift must not be negative")
	}
	if err := o.Parse(); err != nil {
		return err
	}
	switch {
	case o.Match != nil && o.usage == "":
		return exit.Usagef("--label selects calls of --usage, which is missing; a bill has no labels")
	case o.Format == "focus" && (o.counted != nil || o.usage != "" || o.html != ""):
		return exit.Usagef("-o focus is the bill alone; it cannot be used with --counted, --usage or --html")
	case o.Format != "focus" && o.account != "":
		return exit.Usagef("--account is only for -o focus")
	case o.limited && o.counted == nil && o.usage == "":
		return exit.Usagef("--max-drift limits the difference from --usage or --counted, and neither is given")
	case o.counted != nil && !(*o.counted >= 0): // NaN too
		return exit.Usagef("--counted must not be negative")
	}
	name := o.provider
	o.provider, err = models.ParseProvider(string(name))
	switch {
	case err != nil || adminKeys[o.provider] == "" && o.provider != models.Gemini:
		return exit.Usagef("there is no bill of %q; mesh cost accepts openai, anthropic, xai and gemini", name)
	case o.saved == "-" && o.usage == "-":
		return exit.Usagef("--bill and --usage cannot both be stdin")
	case o.saved == "" && o.provider == models.Gemini:
		return exit.Usagef("Google has no API for bills; export them from Cloud Billing to BigQuery, and pass the rows with --bill FILE")
	case o.saved == "" && o.From == "" && o.Last == "":
		return exit.Usagef("--from or --last is missing; a bill from a file, --bill FILE, needs none")
	}
	if err := o.setDays(time.Now()); err != nil {
		return err
	}
	return page.Check(o.App, o.html, o.saved, o.usage)
}

// setDays sets the days of the bill: all of one in a file by default.
func (o *Options) setDays(now time.Time) (err error) {
	if o.Last != "" {
		o.from, o.to, err = selection.LastDays(o.Last, now)
		return err
	}
	if o.from, err = day("--from", o.From, now); err != nil {
		return err
	}
	if o.to, err = day("--to", o.To, now); err != nil {
		return err
	}
	if o.To == "" && o.saved == "" {
		o.to, _ = dates.Day("0d", now)
	}
	switch {
	case o.From == "" || o.to.IsZero() || o.from.Before(o.to):
		return nil
	case o.To == "":
		return exit.Usagef("--from %s: a bill has whole UTC days, the last of which is yesterday, %s", o.From, o.to.AddDate(0, 0, -1).Format(time.DateOnly))
	}
	return exit.Usagef("--from must be before --to, which is the day after the last day of the bill")
}

// day reads a UTC day of a flag; "" is the zero time.
func day(flag, text string, now time.Time) (time.Time, error) {
	at, ok := dates.Day(text, now)
	if !ok && text != "" {
		return at, exit.Usagef("%s %q must be a day such as 2026-11-01, or 7d for seven days ago", flag, text)
	}
	return at, nil
}

// Package selection provides the flags that select calls by time and label.
package selection

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// Flags are shared by mesh usage and mesh cost.
type Flags struct {
	From, To, Last, Month string
	// AllowAll accepts --last all.
	AllowAll bool
	labels   []string

	// Match has the required labels; nil selects all calls.
	Match map[string]string
}

// Add registers the flags. from and to are help text.
func (s *Flags) Add(cmd *cobra.Command, from, to string) {
	flags := cmd.Flags()
	flags.StringVar(&s.From, "from", "", from)
	flags.StringVar(&s.To, "to", "", to)
	flags.StringVar(&s.Last, "last", "", "the last full `DAYS`: 28d, 1w or month")
	flags.StringVar(&s.Month, "month", "", "a calendar `MONTH`, such as 2026-10")
	flags.StringArrayVar(&s.labels, "label", nil, "only calls with this `LABEL`: NAME=VALUE, or NAME= for none")
	app.Complete(cmd, "label", app.CompleteNothing)
	app.Complete(cmd, "last", cobra.FixedCompletions([]string{"7d", "28d", "1w", "month"}, cobra.ShellCompDirectiveNoFileComp))
}

// HasPeriod reports whether a flag selects a period.
func (s *Flags) HasPeriod() bool { return s.From+s.To+s.Last+s.Month != "" }

// Parse checks the flags, and sets Match.
func (s *Flags) Parse() error {
	given := 0
	for _, period := range []string{s.From + s.To, s.Last, s.Month} {
		if period != "" {
			given++
		}
	}
	if given > 1 {
		return exit.Usagef("use only one of --from and --to, --last and --month")
	}
	for _, text := range s.labels {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return exit.Usagef("--label %q must be NAME=VALUE, or NAME= for calls without that label", text)
		}
		if _, twice := s.Match[name]; twice {
			return exit.Usagef("duplicate --label %s; a call has one value per label", name)
		}
		if s.Match == nil {
			s.Match = map[string]string{}
		}
		s.Match[name] = value
	}
	return nil
}

// Times returns the selected range in now's time zone; to is exclusive. A zero time
// leaves an end open.
func (s *Flags) Times(now time.Time) (from, to time.Time, err error) {
	switch {
	case s.AllowAll && s.Last == "all":
		return from, to, nil
	case s.Last != "":
		return s.lastDays(now)
	case s.Month != "":
		from, err := time.ParseInLocation("2006-01", s.Month, now.Location())
		switch {
		case err != nil && dates.Absent(s.Month):
			return from, to, exit.Usagef("--month %q does not exist", s.Month)
		case err != nil:
			return from, to, exit.Usagef("--month %q must be like 2026-10", s.Month)
		}
		return from, from.AddDate(0, 1, 0), nil
	}
	if from, err = dates.TimeIn(s.From, now); err != nil {
		return from, to, exit.Usagef("--from: %w", err)
	}
	if to, err = dates.TimeIn(s.To, now); err != nil {
		return from, to, exit.Usagef("--to: %w", err)
	}
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return from, to, exit.Usagef("--from must be before --to")
	}
	return from, to, nil
}

// lastDays returns the last full days before now for "28d" or "4w", and the last calendar
// month for "month".
func (s *Flags) lastDays(now time.Time) (from, to time.Time, err error) {
	const week = 7
	to, _ = dates.Day("0d", now)
	if s.Last == "month" {
		to = to.AddDate(0, 0, 1-to.Day())
		return to.AddDate(0, -1, 0), to, nil
	}
	n, ok := dates.Days(s.Last)
	if weeks, isWeeks := strings.CutSuffix(s.Last, "w"); isWeeks {
		n, ok = dates.Days(weeks + "d")
		n *= week
	}
	if !ok || n == 0 || n > dates.MaxDays {
		names := "or month"
		if s.AllowAll {
			names = "month or all"
		}
		return from, to, exit.Usagef("--last %q must be days such as 28d, weeks such as 1w, %s", s.Last, names)
	}
	return to.AddDate(0, 0, -n), to, nil
}

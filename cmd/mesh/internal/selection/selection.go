// Package selection has the flags that select calls by time and label.
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
	From, To, Last string
	labels         []string

	// Match has the required labels; nil selects all calls.
	Match map[string]string
}

// Add registers the flags. from, to and label are help text.
func (s *Flags) Add(cmd *cobra.Command, from, to, label string) {
	flags := cmd.Flags()
	flags.StringVar(&s.From, "from", "", from)
	flags.StringVar(&s.To, "to", "", to)
	flags.StringVar(&s.Last, "last", "", "last full UTC days, such as 28d; replaces --from and --to")
	flags.StringArrayVar(&s.labels, "label", nil, label)
	app.Complete(cmd, "label", app.CompleteNothing)
}

// Parse checks the flags and sets Match.
func (s *Flags) Parse() error {
	if s.Last != "" && (s.From != "" || s.To != "") {
		return exit.Usagef("--last cannot be combined with --from or --to")
	}
	for _, text := range s.labels {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return exit.Usagef("--label %q must be NAME=VALUE, or NAME= for calls without that label", text)
		}
		if _, twice := s.Match[name]; twice {
			return exit.Usagef("duplicate --label %s", name)
		}
		if s.Match == nil {
			s.Match = map[string]string{}
		}
		s.Match[name] = value
	}
	return nil
}

// Times returns the selected range; to is exclusive. A zero time leaves an end open.
func (s *Flags) Times(now time.Time) (from, to time.Time, err error) {
	if s.Last != "" {
		return LastDays(s.Last, now)
	}
	if from, err = dates.Time(s.From); err != nil {
		return from, to, exit.Usagef("--from: %w", err)
	}
	if to, err = dates.Time(s.To); err != nil {
		return from, to, exit.Usagef("--to: %w", err)
	}
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return from, to, exit.Usagef("--from must be before --to")
	}
	return from, to, nil
}

// LastDays parses text such as "28d", and returns the last full days before now.
func LastDays(text string, now time.Time) (from, to time.Time, err error) {
	n, ok := dates.Days(text)
	if !ok || n == 0 {
		return from, to, exit.Usagef("--last %q must be a number of days from 1d to %dd", text, dates.MaxDays)
	}
	to = now.UTC().Truncate(24 * time.Hour)
	return to.AddDate(0, 0, -n), to, nil
}

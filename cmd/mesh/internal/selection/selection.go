// Package selection has the flags that select calls by time and label, for mesh usage and mesh cost.
package selection

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// Flags are the flags of mesh usage and mesh cost that select calls.
type Flags struct {
	From, To, Last string
	labels         []string

	// Match are the labels that the calls must have, by name; nil for all calls.
	Match map[string]string
}

// Add adds the flags to a command. from, to and label are their help.
func (s *Flags) Add(cmd *cobra.Command, from, to, label string) {
	flags := cmd.Flags()
	flags.StringVar(&s.From, "from", "", from)
	flags.StringVar(&s.To, "to", "", to)
	flags.StringVar(&s.Last, "last", "", "the last full days in UTC, such as 28d, instead of --from and --to")
	flags.StringArrayVar(&s.labels, "label", nil, label)
	app.Complete(cmd, "label", app.CompleteNothing)
}

// Parse checks the flags, and sets match.
func (s *Flags) Parse() error {
	if s.Last != "" && (s.From != "" || s.To != "") {
		return exit.Usagef("--last and --from or --to exclude each other")
	}
	for _, text := range s.labels {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return exit.Usagef("--label %q must be NAME=VALUE, or NAME= for calls without that label", text)
		}
		if _, twice := s.Match[name]; twice {
			return exit.Usagef("--label %s is there twice; a call has one value of a label", name)
		}
		if s.Match == nil {
			s.Match = map[string]string{}
		}
		s.Match[name] = value
	}
	return nil
}

// Times returns the times of the flags, of which the last is exclusive. A zero time leaves that end open.
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

// LastDays returns the last full days before now, of a text such as "28d".
func LastDays(text string, now time.Time) (from, to time.Time, err error) {
	n, ok := dates.Days(text)
	if !ok || n == 0 {
		return from, to, exit.Usagef("--last %q must be a number of days from 1d to %dd", text, dates.MaxDays)
	}
	to = now.UTC().Truncate(24 * time.Hour)
	return to.AddDate(0, 0, -n), to, nil
}

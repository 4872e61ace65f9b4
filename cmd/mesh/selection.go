package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
)

// selection are the flags of mesh usage and mesh cost that select calls.
type selection struct {
	from, to, last string
	labels         []string

	// match are the labels that the calls must have, by name; nil for all calls.
	match map[string]string
}

func (s *selection) flags(cmd *cobra.Command, from, to, label string) {
	flags := cmd.Flags()
	flags.StringVar(&s.from, "from", "", from)
	flags.StringVar(&s.to, "to", "", to)
	flags.StringVar(&s.last, "last", "", "the last full days in UTC, such as 28d, instead of --from and --to")
	flags.StringArrayVar(&s.labels, "label", nil, label)
	complete(cmd, "label", completeNothing)
}

// parse checks the flags, and sets match.
func (s *selection) parse() error {
	if s.last != "" && (s.from != "" || s.to != "") {
		return usagef("--last and --from or --to exclude each other")
	}
	for _, text := range s.labels {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return usagef("--label %q must be NAME=VALUE, or NAME= for calls without that label", text)
		}
		if _, twice := s.match[name]; twice {
			return usagef("--label %s is there twice; a call has one value of a label", name)
		}
		if s.match == nil {
			s.match = map[string]string{}
		}
		s.match[name] = value
	}
	return nil
}

// times returns the times of the flags, of which the last is exclusive. A zero time leaves that end open.
func (s *selection) times(now time.Time) (from, to time.Time, err error) {
	if s.last != "" {
		return lastDays(s.last, now)
	}
	if from, err = lookup.Time(s.from); err != nil {
		return from, to, usagef("--from: %w", err)
	}
	if to, err = lookup.Time(s.to); err != nil {
		return from, to, usagef("--to: %w", err)
	}
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return from, to, usagef("--from must be before --to")
	}
	return from, to, nil
}

// lastDays returns the last full days before now, of a text such as "28d".
func lastDays(text string, now time.Time) (from, to time.Time, err error) {
	n, ok := lookup.Days(text)
	if !ok || n == 0 {
		return from, to, usagef("--last %q must be a number of days from 1d to %dd", text, lookup.MaxDays)
	}
	to = now.UTC().Truncate(24 * time.Hour)
	return to.AddDate(0, 0, -n), to, nil
}

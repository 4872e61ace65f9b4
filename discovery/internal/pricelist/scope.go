package pricelist

import (
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/internal/tables"
)

// Scope limits a row in a table to a provider's models and a period.
type Scope struct {
	Provider    string
	Models      []string // ids, or prefixes that end in *
	From, Until time.Time
}

func newScope(provider, models, from, until string) Scope {
	s := Scope{Provider: provider, Models: strings.Split(models, ";")}
	s.From, _ = ParseTime(from)
	s.Until, _ = ParseTime(until)
	return s
}

func (s *Scope) validAt(at time.Time) bool { return ValidAt(s.From, s.Until, at) }

// match returns the length of the longest pattern that matches a model, or 0.
func (s *Scope) match(model string) int {
	longest := 0
	for _, pattern := range s.Models {
		beginning, open := strings.CutSuffix(pattern, "*")
		if pattern == model || (open && strings.HasPrefix(model, beginning)) {
			longest = max(longest, len(pattern))
		}
	}
	return longest
}

// rows reads a table. A third cell that ends in "?" is a factor with only one source,
// which isn't enough to compute a cost: the row is omitted.
func rows[T any](f *facts.Facts, table string, read func(cells []string) T) (list []T) {
	for cells := range tables.Rows(f.Table(table)) {
		if !strings.HasSuffix(cells[2], "?") {
			list = append(list, read(cells))
		}
	}
	return list
}

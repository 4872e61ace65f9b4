package decimal

import (
	"maps"
	"slices"
)

// Sum is an exact sum. The zero value is 0.
//
// Decimals with many places are added separately for each number of places. With one
// running total, amounts that alternate between 1 and 1E-6250 would each multiply
// thousands of digits.
type Sum struct {
	short Decimal // decimals with at most fewPlaces
	long  map[int]Decimal
}

const fewPlaces = 40

// Add adds d to the sum.
func (s *Sum) Add(d Decimal) {
	if d.places <= fewPlaces {
		s.short = s.short.Add(d)
		return
	}
	if s.long == nil {
		s.long = make(map[int]Decimal)
	}
	s.long[d.places] = s.long[d.places].Add(d)
}

// Merge adds other to s.
func (s *Sum) Merge(other *Sum) {
	s.Add(other.short)
	for _, part := range other.long {
		s.Add(part)
	}
}

// Total returns the sum.
func (s *Sum) Total() Decimal {
	total := s.short
	if len(s.long) == 0 { // sorting would allocate
		return total
	}
	for _, places := range slices.Sorted(maps.Keys(s.long)) {
		total = total.Add(s.long[places])
	}
	return total
}

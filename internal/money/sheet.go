package money

import (
	"cmp"
	"math/big"
	"slices"
)

// Sheet rounds the amounts on a screen to the same decimal places. Amounts from
// [Sheet.Split] add up to their total as shown, and an amount rounded earlier always
// looks the same.
type Sheet struct {
	places int
	shown  map[string]*big.Int // exact amount -> units of the last place
}

// NewSheet returns an empty sheet.
func NewSheet(places int) *Sheet { return &Sheet{places: places, shown: map[string]*big.Int{}} }

// Text formats an amount as shown on the sheet, with f's signs and currency.
func (s *Sheet) Text(f Format, usd *big.Rat) string {
	return s.Format(f).Text(s.amount(usd, s.units(usd)))
}

// Texts formats the amounts from [Sheet.Split].
func (s *Sheet) Texts(f Format, total *big.Rat, parts ...*big.Rat) []string {
	texts := make([]string, len(parts))
	for i, part := range s.Split(total, parts...) {
		texts[i] = s.Format(f).Text(part)
	}
	return texts
}

// Format returns f with the sheet's places, for amounts from [Sheet.Split].
func (s *Sheet) Format(f Format) Format {
	f.Places, f.Small, f.Limit, f.Least = s.places, 0, nil, true
	return f
}

// Set makes the sheet show an amount as one that was rounded elsewhere.
func (s *Sheet) Set(exact, rounded *big.Rat) {
	s.shown[exact.RatString()] = Round(rounded, s.places)
}

// Difference returns a−b. The sheet shows it as the difference between the rounded a and
// b.
func (s *Sheet) Difference(a, b *big.Rat) *big.Rat {
	exact := new(big.Rat).Sub(a, b)
	s.shown[exact.RatString()] = new(big.Int).Sub(s.units(a), s.units(b))
	return exact
}

// Sum returns a+b. The sheet shows it as the sum of the rounded a and b.
func (s *Sheet) Sum(a, b *big.Rat) *big.Rat {
	exact := new(big.Rat).Add(a, b)
	s.shown[exact.RatString()] = new(big.Int).Add(s.units(a), s.units(b))
	return exact
}

// Split rounds parts so that they add up to the rounded total: it rounds each down, and
// then the ones with the largest remainders up. Format the results with [Sheet.Format]. A
// part rounded to 0 isn't quite 0.
func (s *Sheet) Split(total *big.Rat, parts ...*big.Rat) []*big.Rat {
	units := s.share(s.shown, total, parts)
	if units == nil {
		units = s.share(nil, total, parts) // the same amounts elsewhere leave no room
	}
	if units == nil { // they are no parts of total
		for _, part := range parts {
			units = append(units, Round(part, s.places))
		}
	}
	amounts := make([]*big.Rat, len(parts))
	for i, part := range parts {
		if _, known := s.shown[part.RatString()]; !known {
			s.shown[part.RatString()] = units[i]
		}
		amounts[i] = s.amount(part, units[i])
	}
	return amounts
}

// remainder is a part, and the amount it lost by rounding down.
type remainder struct {
	index       int
	lost, whole *big.Rat
}

// floors rounds parts down, except for those shown before. The others may later be
// rounded up, unless they are 0.
func (s *Sheet) floors(shown map[string]*big.Int, parts []*big.Rat) (units []*big.Int, free []remainder) {
	units = make([]*big.Int, len(parts))
	for i, part := range parts {
		if known := shown[part.RatString()]; known != nil {
			units[i] = new(big.Int).Set(known)
			continue
		}
		scaled := new(big.Rat).Mul(part, new(big.Rat).SetInt(tenTo(s.places)))
		units[i] = new(big.Int).Div(scaled.Num(), scaled.Denom()) // towards -infinity
		if part.Sign() != 0 {
			lost := scaled.Sub(scaled, new(big.Rat).SetInt(units[i]))
			free = append(free, remainder{i, lost, new(big.Rat).Abs(part)})
		}
	}
	return units, free
}

// share rounds parts to total, except for those shown before: the ones that lost most go
// up, and the largest takes the rest. It returns nil if that's impossible.
func (s *Sheet) share(shown map[string]*big.Int, total *big.Rat, parts []*big.Rat) []*big.Int {
	units, free := s.floors(shown, parts)
	lacking := new(big.Int).Set(s.units(total))
	for _, n := range units {
		lacking.Sub(lacking, n)
	}
	switch most := big.NewInt(int64(2 * len(units))); {
	case lacking.Sign() == 0:
		return units
	case len(free) == 0, lacking.CmpAbs(most) > 0:
		return nil
	}
	slices.SortStableFunc(free, func(a, b remainder) int { return cmp.Or(b.lost.Cmp(a.lost), b.whole.Cmp(a.whole)) })
	one := big.NewInt(1)
	for _, r := range free {
		if lacking.Sign() <= 0 || r.lost.Sign() == 0 {
			break
		}
		units[r.index].Add(units[r.index], one)
		lacking.Sub(lacking, one)
	}
	largest := slices.MaxFunc(free, func(a, b remainder) int { return a.whole.Cmp(b.whole) })
	units[largest.index].Add(units[largest.index], lacking)
	return units
}

func (s *Sheet) units(usd *big.Rat) *big.Int {
	key := usd.RatString()
	if s.shown[key] == nil {
		s.shown[key] = Round(usd, s.places)
	}
	return s.shown[key]
}

// amount returns units as an amount. If a nonzero amount was rounded to 0, it returns a
// quarter of a unit.
func (s *Sheet) amount(exact *big.Rat, units *big.Int) *big.Rat {
	if units.Sign() == 0 && exact.Sign() != 0 {
		return new(big.Rat).SetFrac(big.NewInt(int64(exact.Sign())), new(big.Int).Mul(big.NewInt(4), tenTo(s.places)))
	}
	return new(big.Rat).SetFrac(units, tenTo(s.places))
}

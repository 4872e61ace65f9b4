package report

import (
	"math/big"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// The bounds of what is kept of the names in files.
const (
	// maxValues is the number of values of a label that have a row of their own, and maxAllValues that of all labels of a period.
	maxValues    = 100_000
	maxAllValues = 125_000
	// maxNames is the number of labels.
	maxNames = 100
	// maxModels is the number of models.
	maxModels = 1000
	// maxText is the length of a name in bytes. What is longer is cut.
	maxText = 256
)

// values adds up calls by the value of a label.
type values struct {
	rows map[string]*tally
	// others has the calls whose values have no row.
	others tally
	// all has all calls with the label.
	all tally
}

func (v *values) add(value string, c *call, room *int) {
	v.all.add(c)
	row := v.row(value, room)
	row.add(c)
}

// row returns the row of a value, or of the others if there is no room.
func (v *values) row(value string, room *int) *tally {
	value = cut(value)
	row := v.rows[value]
	switch {
	case row != nil:
		return row
	case len(v.rows) >= maxValues || *room <= 0:
		return &v.others
	}
	*room--
	row = &tally{}
	v.rows[strings.Clone(value)] = row
	return row
}

// folded reports whether there were more values than rows.
func (v *values) folded() bool { return v.others.Calls > 0 }

func cut(text string) string { return argument.Cut(text, maxText) }

// names adds up the calls of a period by the values of labels.
type names struct {
	labels map[string]*values
	// room is how many values may still get a row.
	room    int
	threads values
	users   userDays
}

func newNames() *names {
	return &names{
		labels: map[string]*values{}, room: maxAllValues, threads: values{rows: map[string]*tally{}}, users: userDays{seen: map[userDay]struct{}{}},
	}
}

func (n *names) add(c *call, s *setting) {
	for name, value := range c.Labels {
		if value == "" || !s.wanted(name) {
			continue
		}
		if v := n.label(name); v != nil {
			v.add(value, c, &n.room)
		}
	}
	if user := c.Labels[labelUser]; user != "" {
		n.users.add(userDay{user, c.day}, c)
	}
	if thread := c.thread(); thread != "" {
		n.threads.row(thread, &n.room).add(c)
	}
}

// label returns the sums of a label; nil beyond maxNames.
func (n *names) label(name string) *values {
	name = cut(name)
	v := n.labels[name]
	if v == nil && len(n.labels) < maxNames {
		v = &values{rows: map[string]*tally{}}
		n.labels[strings.Clone(name)] = v
	}
	return v
}

// places is the number of decimal places of quotients, which need not be finite decimals.
const places = 12

// quotient returns a divided by n, rounded half to even; "" for n 0.
func quotient(a decimal.Decimal, n int) prices.USD {
	if n == 0 {
		return ""
	}
	return usdOf(decimal.Round(fraction(a, n), places))
}

func usdOf(d decimal.Decimal) prices.USD { return prices.USD(d.String()) }

// fraction returns a divided by n, which must not be 0.
func fraction(a decimal.Decimal, n int) *big.Rat {
	return new(big.Rat).Quo(a.Rat(), new(big.Rat).SetInt64(int64(n)))
}

// ratio returns a divided by b; nil if b is 0.
func ratio(a, b decimal.Decimal) *float64 {
	if b.IsZero() {
		return nil
	}
	f, _ := new(big.Rat).Quo(a.Rat(), b.Rat()).Float64()
	return &f
}

// share returns the part of n in all; nil if all is 0.
func share[N int | int64](n, all N) *float64 {
	if all == 0 {
		return nil
	}
	f := float64(n) / float64(all)
	return &f
}

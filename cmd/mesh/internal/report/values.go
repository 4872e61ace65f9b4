package report

import (
	"math/big"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Limits for names, which come from files.
const (
	// maxValues is per label, maxAllValues per period, with threads.
	maxValues    = 100_000
	maxAllValues = 125_000
	// maxNames limits the labels.
	maxNames  = 100
	maxModels = 1000
	// maxText is in bytes; longer names are cut.
	maxText = 256
)

// values adds up calls by label value.
type values struct {
	rows map[string]*tally
	// others has the calls whose values have no row.
	others tally
	// all includes others
	all tally
	// days has the known costs unless there are more than maxCharted values.
	days map[rowDay]*decimal.Sum
}

// maxCharted limits the values in a chart by day.
const maxCharted = 7

type rowDay struct {
	row *tally
	day int64
}

func (v *values) add(value string, c *call, room *int) {
	v.all.add(c)
	row := v.row(value, room)
	row.add(c)
	switch {
	case len(v.rows) > maxCharted:
		v.days = nil
	case v.days != nil && c.known:
		made(v.days, rowDay{row, c.day}).Add(c.usd)
	}
}

// cost returns 0 if v is nil.
func (v *values) cost(value string, day int64) (usd decimal.Decimal) {
	if v != nil {
		if sum := v.days[rowDay{v.rows[value], day}]; sum != nil {
			usd = sum.Total()
		}
	}
	return usd
}

// row returns others if there is no room.
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

// names adds up calls by label, thread and user.
type names struct {
	labels map[string]*values
	// room is the number of rows that may still be added.
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

// label returns nil beyond maxNames.
func (n *names) label(name string) *values {
	name = cut(name)
	v := n.labels[name]
	if v == nil && len(n.labels) < maxNames {
		v = &values{rows: map[string]*tally{}, days: map[rowDay]*decimal.Sum{}}
		n.labels[strings.Clone(name)] = v
	}
	return v
}

// places is the number of decimal places in quotients, which can be infinite decimals.
const places = 12

// quotient rounds half to even and returns "" if n is 0.
func quotient(a decimal.Decimal, n int) prices.USD {
	if n == 0 {
		return ""
	}
	return usdOf(decimal.Round(fraction(a, n), places))
}

func usdOf(d decimal.Decimal) prices.USD { return prices.USD(d.String()) }

// fraction requires n != 0.
func fraction(a decimal.Decimal, n int) *big.Rat {
	return new(big.Rat).Quo(a.Rat(), new(big.Rat).SetInt64(int64(n)))
}

// ratio returns nil if b is 0.
func ratio(a, b decimal.Decimal) *float64 {
	if b.IsZero() {
		return nil
	}
	f, _ := new(big.Rat).Quo(a.Rat(), b.Rat()).Float64()
	return &f
}

// share returns n divided by all, or nil if all is 0.
func share[N int | int64](n, all N) *float64 {
	if all == 0 {
		return nil
	}
	f := float64(n) / float64(all)
	return &f
}

package usage

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/internal/budget"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// printLine reads each file once, and only files that can have calls in its periods: a
// status bar calls it often. Read errors become a note.
func (o *Options) printLine(now time.Time) error {
	l, err := o.newStatusLine(now)
	if err != nil {
		return err
	}
	opts := o.selected
	opts.From = l.begins
	if o.reader != nil {
		o.reader.Since = l.begins
	}
	var unread error
	for r, err := range calls.Read(opts, o.in.Since(l.begins)...) {
		if err != nil {
			unread = cmp.Or(unread, o.said.Rest(errors.Join(err)))
		} else {
			l.add(&r, o.chargesOnly)
		}
	}
	o.noteUnread(unread)
	o.Progress.Stop()
	_, err = fmt.Fprintln(o.Out, output.Line(l.String()))
	o.tellShort()
	return err
}

func (o *Options) noteUnread(err error) {
	if err = o.in.Rename(err); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		o.Note("not counted: " + output.Line(strings.TrimPrefix(first, "calls: ")))
	}
}

type statusLine struct {
	today           span
	calls, unpriced int
	usd             decimal.Sum
	atLeast         string // if usd has lower bounds
	budgets         []*spending
	begins          time.Time // the earliest day, or zero
}

// span is a time range, from inclusive. Zero times leave an end open.
type span struct{ from, to time.Time }

func (s span) has(at time.Time) bool {
	return !at.Before(s.from) && (s.to.IsZero() || at.Before(s.to))
}

// spending adds up costs by label value, for one budget.
type spending struct {
	budget.Budget
	span
	text  string
	spent map[string]*decimal.Sum
}

// newStatusLine uses UTC days and months for budgets, whatever the zone.
func (o *Options) newStatusLine(now time.Time) (*statusLine, error) {
	now = now.UTC()
	local := now
	if o.zone != nil {
		local = now.In(o.zone)
	}
	from, _ := dates.Day("0d", local)
	l := &statusLine{today: span{from, from.AddDate(0, 0, 1)}, begins: from}
	day := now.Truncate(24 * time.Hour)
	for _, text := range o.budgets {
		b, err := budget.Parse("meter", text)
		if err != nil {
			return nil, err
		}
		s := &spending{b, span{day, day.AddDate(0, 0, 1)}, text, map[string]*decimal.Sum{}}
		switch b.Per {
		case "":
			s.span = span{}
		case "month":
			s.from = day.AddDate(0, 0, 1-now.Day())
		}
		if s.from.Before(l.begins) {
			l.begins = s.from
		}
		l.budgets = append(l.budgets, s)
	}
	return l, nil
}

func (l *statusLine) add(r *calls.Record, chargesOnly bool) {
	if l.today.has(r.Time) {
		usd, known := decimal.ParsePlain(r.USD)
		if !known {
			l.unpriced++
			if usd, _ = decimal.ParsePlain(r.BoundUSD); !usd.IsZero() {
				l.atLeast = "at least "
			}
		}
		l.usd.Add(usd)
		if !r.WithoutLine {
			l.calls++
		}
	}
	for _, s := range l.budgets {
		if s.has(r.Time) {
			s.of(r.Labels[s.Label]).Add(budget.Expense(r, decimal.Decimal{}, chargesOnly))
		}
	}
}

func (s *spending) of(value string) *decimal.Sum {
	sum := s.spent[value]
	if sum == nil {
		sum = new(decimal.Sum)
		s.spent[strings.Clone(value)] = sum
	}
	return sum
}

// String looks like "today 3.12 USD, 214 calls, 5/day: 62 %".
func (l *statusLine) String() string {
	parts := []string{"today " + l.atLeast + money.USD(l.usd.Total().String()) + " USD", table.Calls(l.calls)}
	if l.unpriced > 0 {
		parts = append(parts, fmt.Sprintf("%d unpriced", l.unpriced))
	}
	for _, s := range l.budgets {
		parts = append(parts, s.text+": "+s.part())
	}
	return strings.Join(parts, ", ")
}

// part shows a labelled budget for the value that spent most.
func (s *spending) part() string {
	most, value := decimal.Decimal{}, ""
	for name, sum := range s.spent {
		usd := sum.Total()
		if c := usd.Cmp(most); c > 0 || c == 0 && !usd.IsZero() && name < value {
			most, value = usd, name
		}
	}
	text := percentOf(most.Rat(), money.Exact(s.USD)) + " %"
	if value != "" {
		text += " (" + value + ")"
	}
	return text
}

// percentOf rounds down, which keeps 100 for reached limits. A limit of 0 is reached.
func percentOf(spent, limit *big.Rat) string {
	const percent = 100
	if limit.Sign() == 0 {
		return fmt.Sprint(percent)
	}
	part := new(big.Rat).Quo(spent, limit)
	part.Mul(part, big.NewRat(percent, 1))
	return new(big.Int).Quo(part.Num(), part.Denom()).String()
}

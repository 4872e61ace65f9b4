package report

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/budget"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Read returns a report on calls files. It reads them once, in parallel, like
// [calls.Read]. Unreadable lines, files and directories don't stop it: they are counted
// in Report.Errors. If an option is invalid, it returns a [*ValueError] and reads no
// file.
//
// Memory does not grow with the number of calls, because separate sums are limited: see
// the package comment. Which values get one depends on file order.
func Read(o Options, paths ...string) (*Report, error) {
	s, err := newSetting(o)
	if err != nil {
		return nil, err
	}
	c := newCollector(s)
	var copies []calls.Copies
	c.collect(calls.Read(calls.Options{
		MatchLabels: s.MatchLabels, Prices: s.Prices, Reprice: s.Reprice, Subscription: s.Subscription, OnRead: s.OnRead,
		Decode: s.Decode, Join: s.Join,
		OnCopies: func(c calls.Copies) { copies = append(copies, c) },
	}, paths...))
	r := c.report()
	r.Source.Paths, r.Source.Copies = append(r.Source.Paths, paths...), append(r.Source.Copies, copies...)
	return r, nil
}

// Build returns a report on records from any source, such as [calls.Read]. Errors and
// unusable records don't stop it: they are counted in Report.Errors. If an option is
// invalid, it returns a [*ValueError].
func Build(records iter.Seq2[calls.Record, error], o Options) (*Report, error) {
	s, err := newSetting(o)
	if err != nil {
		return nil, err
	}
	c := newCollector(s)
	c.collect(func(yield func(calls.Record, error) bool) {
		for r, err := range calls.Once(records) {
			if err == nil {
				var counted calls.Record
				if counted, err = r.Count(s.Prices, s.Reprice); err == nil {
					r = counted
				}
			}
			if !yield(r, err) {
				return
			}
		}
	})
	return c.report(), nil
}

func newSetting(o Options) (*setting, error) {
	if o.Facts == nil {
		o.Facts = facts.BuiltIn()
	}
	s := &setting{Options: o, retirement: models.Of(o.Facts)}
	var err error
	if s.window, err = newWindow(&o); err != nil {
		return nil, err
	}
	if s.Prices == nil {
		s.Prices = prices.Of(o.Facts)
	}
	if slices.Contains(o.Bills, nil) {
		return nil, invalid("Bills", "must not be nil")
	}
	if s.budgets, err = newBudgets(o.Budgets); err != nil {
		return nil, err
	}
	return s, nil
}

type collector struct {
	*setting
	current, previous *aggregate
	// today has today's calls if the period doesn't include them.
	today *aggregate
	// firstRun has the default period's calls and today's. It is nil if the caller chose a
	// period, or after a call from that period's first day or earlier.
	firstRun      *aggregate
	history       history
	sessions      Sessions
	calls, future int
	first, last   time.Time
	errors        errorList
}

func newCollector(s *setting) *collector {
	c := &collector{
		setting: s, current: newAggregate(s, true), previous: newAggregate(s, false), today: newAggregate(s, true), history: history{},
	}
	if !s.chosen {
		c.firstRun = newAggregate(s, true)
	}
	return c
}

// collect skips calls and call errors that lack the wanted labels. Line errors have no
// labels and always count.
func (c *collector) collect(records iter.Seq2[calls.Record, error]) {
	var one call
	for r, err := range records {
		if (err == nil || !r.Time.IsZero()) && !r.HasLabels(c.MatchLabels) {
			continue
		}
		if r.Session && c.Subscription {
			r.Billing = calls.Subscription
		}
		if err == nil {
			err = one.read(&r, c.Location)
		}
		if err == nil {
			c.add(&one)
		} else {
			c.addError(err)
		}
	}
}

func (c *collector) addError(err error) {
	c.errors.add(err)
	if c.OnError != nil {
		c.OnError(err)
	}
}

func (c *collector) add(one *call) {
	if !one.WithoutLine {
		c.calls++
	}
	if one.Session {
		c.sessions.add(one)
	}
	if c.first.IsZero() || one.Time.Before(c.first) {
		c.first = one.Time
	}
	if one.Time.After(c.last) {
		c.last = one.Time
	}
	today := c.window.today
	if one.day > today {
		c.future++
	}
	inCurrent, inPrevious := c.window.current.has(one.Time), c.window.previous.has(one.Time)
	switch {
	case inCurrent:
		c.current.add(one)
	case inPrevious:
		c.previous.add(one)
	case one.day == today:
		c.today.add(one)
	}
	if inCurrent || inPrevious || (one.day <= today && one.day >= c.historyBegin) {
		c.history.add(one.day, one.usd)
		switch {
		case c.firstRun == nil:
		case one.day <= calendar.DayNumber(c.window.current.From):
			c.firstRun = nil
		default:
			c.firstRun.add(one)
		}
	}
	c.addBudgets(one)
}

func (c *collector) addBudgets(one *call) {
	for _, b := range c.budgets {
		today := calendar.DayNumber(c.utc)
		in, forecast := b.in(one.utcDay, today), b.Per == "month" && one.utcDay >= today-forecastDays && one.utcDay <= today
		if !in && !forecast {
			continue
		}
		value, usd := "", budget.Expense(&one.Record, decimal.Decimal{}, c.ChargesOnly)
		if b.Label != "" {
			value = one.Labels[b.Label]
		}
		if in {
			b.add(value, usd)
		}
		if forecast {
			b.addDay(value, one.utcDay, usd)
		}
	}
}

// maxErrors limits error texts in a report.
const maxErrors = 100

// errorList counts errors and keeps the first by file and line.
type errorList struct {
	count int
	first []error
}

func (l *errorList) add(err error) {
	l.count++
	if l.first = append(l.first, err); len(l.first) == 2*maxErrors {
		l.trim()
	}
}

func (l *errorList) trim() {
	slices.SortStableFunc(l.first, func(a, b error) int {
		x, y := placeOf(a), placeOf(b)
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	})
	l.first = l.first[:min(len(l.first), maxErrors)]
}

// placeOf returns the zero value unless err wraps a *calls.LineError.
func placeOf(err error) calls.LineError {
	var at *calls.LineError
	if errors.As(err, &at) {
		return *at
	}
	return calls.LineError{}
}

func (l *errorList) errors() Errors {
	l.trim()
	all := Errors{Count: l.count, First: []string{}}
	for _, err := range l.first {
		all.First = append(all.First, err.Error())
	}
	return all
}

// call caches values computed from a record.
type call struct {
	calls.Record
	id ModelID
	// day is in Options.Location, utcDay is for budgets
	day, utcDay int64
	// usd is valid if known, and more, a lower bound, if bounded.
	usd, more      decimal.Decimal
	known, bounded bool
	// counted reports whether Sum.Averaged includes the call.
	counted bool

	input, cached, written, output int64
}

var (
	errTime  = errors.New("the time of a record is missing")
	errOwner = errors.New("the provider of a record cannot be determined")
)

// read never puts record content into an error.
func (c *call) read(one *calls.Record, zone *time.Location) error {
	if one.Time.IsZero() {
		return errTime
	}
	if one.Provider == "" && one.Platform == "" {
		return errOwner
	}
	*c = call{Record: *one}
	c.id = ModelID{Provider: models.Provider(cut(string(c.Provider))), Platform: cut(c.Platform), Model: cut(c.Model)}
	c.utcDay = calendar.DayNumber(c.Time)
	c.Time = calendar.Wall(c.Time, zone)
	c.day = calendar.DayNumber(c.Time)
	c.usd, c.known = decimal.ParsePlain(c.USD)
	c.more, c.bounded = decimal.ParsePlain(c.BoundUSD)
	c.counted = c.known && !c.Failed() && !c.WithoutLine
	if c.HasCounts {
		c.input, c.cached, c.written, c.output = Tokens(&c.Counts)
	}
	return nil
}

// Tokens adds up a call's tokens. input includes those read from caches and written to
// them.
func Tokens(u *prices.Usage) (input, cached, written, output int64) {
	cached = u.CacheRead + u.AudioCacheRead + u.ImageCacheRead + u.VideoCacheRead
	written = u.CacheWrite5m + u.CacheWrite1h
	input = u.Input + u.ToolInput + u.AudioInput + u.ImageInput + u.VideoInput + cached + written
	return input, cached, written, u.Output + u.AudioOutput + u.ImageOutput
}

func (c *call) thread() string {
	if name := c.Labels[labelThread]; name != "" {
		return name
	}
	return c.Labels[labelThreadID]
}

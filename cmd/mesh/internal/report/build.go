package report

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

func (c *collector) report() *Report {
	c.settle()
	now, before := c.current, c.previous
	items := modelItems(now, before)
	total := item{current: &now.total, previous: &before.total}
	r := &Report{
		Period: c.window.current, Previous: c.window.previous, Source: c.source(), explain: c.Explain, Total: c.total(total, items), Week: c.history.week(c.window.today),
		Month: c.history.month(&c.window), Budgets: []Budget{}, Models: []ModelRow{}, Users: users(&now.users, &before.users),
		Cache: c.cache(items), Latency: latency(items), Failures: c.failures(), Top: c.top(), Unpriced: unpriced(now, before),
		Bills: append([]*bills.Comparison{}, c.Bills...), Advice: []Advice{}, Codes: []string{}, Errors: c.errors.errors(),
	}
	usd := now.total.total()
	for _, it := range items {
		r.Models = append(r.Models, ModelRow{it.id, it.row(usd)})
	}
	r.Providers = totalsBy(items, func(id ModelID) string { return string(id.Provider) }, usd)
	r.Platforms = totalsBy(items, func(id ModelID) string { return id.Platform }, usd)
	r.Days = c.days(items)
	c.addLabels(r, total, items)
	for _, b := range c.budgets {
		r.Budgets = append(r.Budgets, b.state(&r.Month, &c.window))
	}
	r.Retiring = c.retiring(r.Labels)
	c.advise(r)
	return r
}

// settle switches to the first-run period if all calls are younger than the default one.
func (c *collector) settle() {
	if c.firstRun == nil || c.firstRun.total.Calls == 0 {
		return
	}
	first, _ := c.history.first()
	c.current, c.today = c.firstRun, newAggregate(c.setting, true)
	c.window.set(dayTime(first), dayTime(c.window.today+1))
}

func (c *collector) source() Source {
	s := Source{
		Paths: []string{}, Copies: []calls.Copies{}, MatchLabels: c.MatchLabels, Calls: c.calls, First: c.first, Last: c.last, Future: c.future, Now: c.now, Zone: calendar.ZoneName(c.Location, c.utc), RetirementsAsOf: c.retirement.AsOf(),
	}
	if c.sessions.Calls > 0 {
		s.Sessions = &c.sessions
	}
	if asOf := c.Prices.AsOf(); !asOf.IsZero() {
		s.PricesAsOf = asOf.Format(time.DateOnly)
	}
	return s
}

func (c *collector) total(total item, items []item) Total {
	now, before := total.current, total.previous
	t := Total{
		Row: total.row(now.total()), Priced: share(now.Calls-now.Unpriced, now.Calls), PreviousPriced: share(before.Calls-before.Unpriced, before.Calls),
		Comparable: isComparable(now, before),
	}
	providers, platforms := map[models.Provider]bool{}, map[string]bool{}
	for _, it := range items {
		if calls, _ := it.calls(); calls > 0 && !it.others {
			t.Models++
			providers[it.id.Provider], platforms[it.id.Platform] = true, true
		}
	}
	t.Providers, t.Platforms = len(providers), len(platforms)
	return t
}

// maxLabels limits automatically selected labels.
const maxLabels = 4

// addLabels sets r.Labels and r.Change, which share the label rows.
func (c *collector) addLabels(r *Report, total item, items []item) {
	r.Labels = []Label{}
	change := compared(c, total, items)
	for _, name := range c.labelNames() {
		values, folded := labelItems(name, c.current, c.previous)
		unlabelled := without(name, c.current, c.previous)
		r.Labels = append(r.Labels, newLabel(name, values, folded, unlabelled, total.current.total()))
		if change == nil {
			continue
		}
		if calls, previous := unlabelled.calls(); calls+previous > 0 {
			values = append(values, unlabelled)
		}
		change.Labels = append(change.Labels, movers(name, values))
	}
	r.Change = change
}

// compared returns nil if the previous period has no counted calls or started before the
// first call.
func compared(c *collector, total item, items []item) *Change {
	first, _ := c.history.first()
	if total.previous.Counted == 0 || first > calendar.DayNumber(c.window.previous.From) {
		return nil
	}
	change := split(total, items)
	change.Models, change.Labels = movers("model", slices.Clone(items)), []Movers{}
	return change
}

// labelNames returns Options.Labels or, if nil, the most expensive labels.
func (c *collector) labelNames() []string {
	if c.Labels != nil {
		return c.Labels
	}
	cost := func(name string) decimal.Decimal { return made(c.current.names.labels, name).all.total() }
	names := slices.SortedFunc(maps.Keys(keys(c.current.names.labels, c.previous.names.labels)), func(a, b string) int {
		return cmp.Or(cost(b).Cmp(cost(a)), cmp.Compare(a, b))
	})
	return names[:min(len(names), maxLabels)]
}

// maxStack limits the models with a separate column by day.
const maxStack = 6

// maxDays is the longest period in which days without calls have a row, too: a clock set
// to 1970 would add 20,000.
const maxDays = 800

func (c *collector) days(items []item) Days {
	days := Days{Models: []ModelID{}, Values: []string{}, Rows: []Day{}}
	for _, it := range items {
		if len(days.Models) < maxStack && !it.others && it.current != nil {
			days.Models = append(days.Models, it.id)
		}
	}
	c.chartLabel(&days)
	begin, end := calendar.DayNumber(c.window.current.From), calendar.DayNumber(c.window.current.To.Add(-1))
	first, ok := c.history.first()
	if !ok {
		return days
	}
	for number := max(begin, first); number <= min(end, max(c.window.today, calendar.DayNumber(c.last))); number++ {
		if c.window.current.Days <= maxDays || c.current.days[number] != nil {
			days.Rows = append(days.Rows, c.day(number, c.current, &days, first))
		}
	}
	if c.today.total.Calls > 0 {
		today := c.day(c.window.today, c.today, &days, first)
		days.Today = &today
	}
	return days
}

// chartLabel sets Label and Values.
func (c *collector) chartLabel(days *Days) {
	for _, name := range c.labelNames() {
		v := made(c.current.names.labels, name)
		if v.folded() || len(v.rows) < 2 || len(v.rows) > maxCharted {
			continue
		}
		items, _ := labelItems(name, c.current, c.previous)
		for _, it := range items {
			if it.current != nil && len(days.Values) < maxStack {
				days.Values = append(days.Values, it.value)
			}
		}
		days.Label = name
		return
	}
}

func (c *collector) day(number int64, a *aggregate, days *Days, first int64) Day {
	all := a.days[number]
	d := Day{Day: dayText(number), Sum: all.sum(), Running: number >= c.window.today}
	d.Models = spread(all.total(), days.Models, func(id ModelID) (usd decimal.Decimal) {
		if m := a.models[id]; m != nil {
			usd = m.days.cost(number)
		}
		return usd
	})
	d.Values = spread(all.total(), days.Values, func(value string) decimal.Decimal { return a.names.labels[days.Label].cost(value, number) })
	if earlier := number - int64(c.window.current.Days); earlier >= first {
		d.PreviousUSD = usdOf(c.history.cost(earlier))
	}
	return d
}

// spread returns the cost of each column, followed by the rest.
func spread[T any](total decimal.Decimal, columns []T, cost func(T) decimal.Decimal) []prices.USD {
	parts := []prices.USD{}
	for _, column := range columns {
		usd := cost(column)
		total, parts = total.Sub(usd), append(parts, usdOf(usd))
	}
	return append(parts, usdOf(total))
}

func (c *collector) cache(items []item) Cache {
	now, before := &c.current.total, &c.previous.total
	all := Cache{Ratio: share(now.Cached, now.Input), PreviousRatio: share(before.Cached, before.Input), Models: []CacheRow{}}
	var saved decimal.Decimal
	for _, it := range items {
		m := it.model
		if m == nil || m.caching.calls == 0 {
			continue
		}
		all.Calls += m.caching.calls
		all.Skipped += m.caching.skipped
		usd, part := m.total(), m.caching.saved.Total()
		saved = saved.Add(part)
		row := CacheRow{ModelID: it.id, Others: it.others, Ratio: share(m.Cached, m.Input), USD: usdOf(usd)}
		if m.caching.skipped < m.caching.calls {
			row.SavedUSD, row.WithoutUSD = usdOf(part), usdOf(usd.Add(part))
		}
		all.Models = append(all.Models, row)
	}
	all.SavedUSD, all.WithoutUSD = usdOf(saved), usdOf(now.total().Add(saved))
	slices.SortStableFunc(all.Models, func(a, b CacheRow) int { return decimal.FromText(b.SavedUSD).Cmp(decimal.FromText(a.SavedUSD)) })
	return all
}

func latency(items []item) []Latency {
	rows := []Latency{}
	for _, it := range items {
		if m := it.model; m != nil && m.Calls > 0 {
			rows = append(rows, Latency{
				ModelID: it.id, Others: it.others, First: m.tries.first.tries(), Retries: m.tries.retries.tries(), Rate: m.tries.first.rate(),
			})
		}
	}
	return rows
}

func (c *collector) failures() Failures {
	now, before := &c.current.tries, &c.previous.tries
	f := Failures{
		First: now.first.tries(), Retries: now.retries.tries(), Rate: now.first.rate(), PreviousRate: before.first.rate(), Statuses: []Status{},
	}
	for status, n := range c.current.status {
		f.Statuses = append(f.Statuses, Status{status, n})
	}
	slices.SortFunc(f.Statuses, func(a, b Status) int { return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Status, b.Status)) })
	return f
}

// ValueError reports an invalid argument with its name (Field), Value and Reason, which
// says what it must be. It matches client.ErrMesh. Packages client and discovery export
// the same type.
type ValueError = argument.ValueError

func invalid(field, reason string) error { return argument.New("report", field, "", reason) }

const (
	// defaultDays includes four of each weekday in both periods.
	defaultDays = 28
	day         = 24 * time.Hour
)

// window has the periods and the current day.
type window struct {
	now time.Time // on the clock in Options.Location
	utc time.Time // for budgets
	// today is the day number for now, counted from 1970.
	today             int64
	current, previous Period
	// chosen reports whether the caller set From or To.
	chosen bool
	// historyBegin is the first day whose cost is kept. It excludes days from a clock set to
	// 1970.
	historyBegin int64
}

func newWindow(o *Options) (window, error) {
	now := o.Now
	if now.IsZero() {
		now = time.Now()
	}
	w := window{utc: now.UTC(), now: calendar.Wall(now, o.Location), chosen: !o.From.IsZero() || !o.To.IsZero()}
	for _, at := range []struct {
		field string
		time  time.Time
	}{{"Now", w.now}, {"From", o.From}, {"To", o.To}} {
		if year := at.time.UTC().Year(); year < 1 || year > 9999 { // JSON times can't have other years
			return w, invalid(at.field, "must be a time of the years 1 to 9999")
		}
	}
	w.today = calendar.DayNumber(w.now)
	from, to := wallIfSet(o.From, o.Location), wallIfSet(o.To, o.Location)
	switch midnight := calendar.Date(w.now); {
	case !w.chosen:
		from, to = midnight.AddDate(0, 0, -defaultDays), midnight
	case o.To.IsZero():
		to = midnight.AddDate(0, 0, 1)
	case o.From.IsZero():
		from = to.AddDate(0, 0, -defaultDays)
	}
	if !from.Before(to) {
		return w, invalid("To", "must be after From")
	}
	w.set(from, to)
	w.historyBegin = min(w.today, calendar.DayNumber(w.previous.From)) - historyDays
	return w, nil
}

func wallIfSet(at time.Time, zone *time.Location) time.Time {
	if at.IsZero() {
		return at
	}
	return calendar.Wall(at, zone)
}

// set also sets the previous period, which has the same length.
func (w *window) set(from, to time.Time) {
	w.current = w.period(from, to)
	earlier := time.Unix(2*from.Unix()-to.Unix(), int64(2*from.Nanosecond()-to.Nanosecond())).UTC() // a time.Duration overflows after 292 years
	if calendar.Date(from).Equal(from) && !to.Before(from.AddDate(0, 0, w.current.Days).Add(-1)) {
		earlier = from.AddDate(0, 0, -w.current.Days)
	}
	if earlier.Year() < 1 {
		earlier = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	w.previous = w.period(earlier, from)
}

func (w *window) period(from, to time.Time) Period {
	days := 0
	if from.Before(to) {
		days = int(calendar.DayNumber(to.Add(-1))-calendar.DayNumber(from)) + 1
	}
	return Period{From: from, To: to, Days: days, Running: to.After(w.now) && !from.After(w.now)}
}

func (p *Period) has(at time.Time) bool { return !at.Before(p.From) && at.Before(p.To) }

// dayText formats a day number (since 1970) as a date.
func dayText(number int64) string { return dayTime(number).Format(time.DateOnly) }

func dayTime(number int64) time.Time { return time.Unix(number*calendar.SecondsPerDay, 0).UTC() }

package meter

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/once"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/budget"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// account tracks one budget. It's guarded by Meter.mu.
type account struct {
	budget         Budget
	limit, perCall decimal.Decimal
	warnAt         decimal.Decimal
	// period is the current one. left maps periods that ended within the last day to the
	// time when they did. They keep their balances, in case the clock is set back. Later
	// periods may have balances, too, because another program's clock may be ahead.
	period   time.Time
	left     map[time.Time]time.Time
	balances map[balanceKey]*balance
	// warnings are delivered once the Meter is unlocked.
	warnings []BudgetWarning
}

type balanceKey struct {
	label  string
	period time.Time
}

type balance struct {
	label    string
	spent    decimal.Sum
	reserved decimal.Decimal
	warned   bool // at 80 % of the limit
}

// reservation is the amount set aside for a call. The call settles with the balance
// that it reserved from, even if that balance's period has ended.
type reservation struct {
	account *account
	balance *balance
}

func newAccount(b Budget) (*account, error) {
	a := &account{budget: b, balances: map[balanceKey]*balance{}, left: map[time.Time]time.Time{}}
	var err error
	a.limit, a.perCall, err = b.check()
	a.warnAt = a.limit.Mul(decimal.New(8, 1))
	return a, err
}

// advance sets the current period and frees balances from earlier ones. Periods that were
// current within the last day keep theirs: if the clock was ahead for a moment, setting
// it back must not restore the budget. The monotonic clock measures that day.
func (a *account) advance(now time.Time) {
	const day = 24 * time.Hour
	period := a.budget.Per.began(now)
	if period == a.period {
		return
	}
	a.left[a.period], a.period = time.Now(), period
	maps.DeleteFunc(a.left, func(_, when time.Time) bool { return time.Since(when) >= day })
	maps.DeleteFunc(a.balances, func(key balanceKey, _ *balance) bool { return !a.keeps(key.period) })
}

func (a *account) keeps(period time.Time) bool {
	_, left := a.left[period]
	return left || !period.Before(a.period)
}

func (a *account) balance(labels map[string]string, period time.Time) *balance {
	key := balanceKey{period: period}
	if a.budget.Label != "" {
		key.label = labels[a.budget.Label]
	}
	b := a.balances[key]
	if b == nil {
		b = &balance{label: key.label}
		a.balances[key] = b
	}
	return b
}

func (a *account) refuses(b *balance) bool {
	committed := b.committed()
	if a.perCall.IsZero() {
		return committed.Cmp(a.limit) >= 0
	}
	return committed.Add(a.perCall).Cmp(a.limit) > 0
}

func (b *balance) committed() decimal.Decimal { return b.spent.Total().Add(b.reserved) }

// spend adds the call's cost, or nothing if the record is nil, and queues a warning if
// one is due. Free subscription calls have no reservation.
func (r reservation) spend(of *calls.Record) {
	a, b := r.account, r.balance
	if of != nil {
		b.spent.Add(budget.Expense(of, a.perCall, false))
	}
	if !b.warned && b.spent.Total().Cmp(a.warnAt) >= 0 {
		b.warned = true
		a.warnings = append(a.warnings, BudgetWarning{Budget: a.budget, LabelValue: b.label, SpentUSD: prices.USD(b.spent.Total().String())})
	}
}

// unknown stands for a call without any counts.
var unknown calls.Record

// settle frees the reservations and spends the call's cost, or nothing if the record is
// nil.
func settle(reserved []reservation, of *calls.Record) {
	for _, r := range reserved {
		r.balance.reserved = r.balance.reserved.Sub(r.account.perCall)
		r.spend(of)
	}
}

// reserve sets PerCall aside in every budget, or in no budget if one refuses.
func (m *Meter) reserve(now time.Time, labels map[string]string) ([]reservation, *BudgetError) {
	m.mu.Lock()
	defer m.mu.Unlock()
	reserved := make([]reservation, 0, len(m.budgets))
	for _, a := range m.budgets {
		a.advance(now)
		b := a.balance(labels, a.period)
		if m.unread != nil || a.refuses(b) {
			return nil, &BudgetError{Budget: a.budget, LabelValue: b.label, SpentUSD: prices.USD(b.spent.Total().String()), ReservedUSD: prices.USD(b.reserved.String()), Unread: m.unread}
		}
		reserved = append(reserved, reservation{a, b})
	}
	for _, r := range reserved {
		r.balance.reserved = r.balance.reserved.Add(r.account.perCall)
	}
	return reserved, nil
}

// charge spends the cost if nothing was set aside. Freed periods are skipped.
func (m *Meter) charge(r *calls.Record) {
	if m.free(r.Billing) {
		return
	}
	now := time.Now()
	for _, a := range m.budgets {
		a.advance(now)
		if period := a.budget.Per.began(r.Time); a.keeps(period) {
			reservation{a, a.balance(r.Labels, period)}.spend(r)
		}
	}
}

func (m *Meter) setsAside() bool {
	return slices.ContainsFunc(m.budgets, func(a *account) bool { return !a.perCall.IsZero() })
}

// loginToken starts the access tokens from a Claude login. API keys start differently.
const loginToken = "sk-ant-oat" //nolint:gosec // a prefix

// billing reports a subscription if the token is from a login or the call goes to
// ChatGPT. req.Host names the real host if a proxy put its own in the URL.
func billing(req *http.Request) string {
	scheme, token, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") && strings.HasPrefix(strings.TrimLeft(token, " "), loginToken) {
		return calls.Subscription
	}
	if e, _ := official(cmp.Or(req.Host, req.URL.Host)); e.Subscription && endpoints.Subscribed(req.URL.Path) {
		return calls.Subscription
	}
	return ""
}

// free reports whether such calls cost the budgets nothing.
func (m *Meter) free(billing string) bool { return m.chargesOnly && billing == calls.Subscription }

// atLeast prices the counts and fees that arrived before a call's final counts. It
// returns "" if nothing arrived or the price is unknown.
//
// The result is a lower bound: a provider repeats its earlier counts and adds to them.
// Tiers and cache reads, which make counts cheaper, arrive with the counts. Output that
// wasn't counted yet is missing.
func atLeast(list *prices.List, call prices.Call) prices.USD {
	usd, err := list.USDOf(call)
	if usd == "0" {
		return ""
	}
	return cmp.Or(usd, boundOf(err))
}

// boundOf returns the lower bound in a pricing error.
func boundOf(err error) prices.USD {
	var unpriced *prices.UnpricedError
	if errors.As(err, &unpriced) {
		return unpriced.BoundUSD
	}
	return ""
}

// Restore counts earlier records, such as a calls file, towards the budgets and
// [Meter.Spent]. Use it to let a budget survive a restart.
//
// Recorders don't get these records. Copies count once; see [calls.Copies]. A record
// without a cost counts as its BoundUSD or as Budget.PerCall, whichever is more. If
// BoundUSD is missing, Restore computes it.
//
// After an error in the sequence, Restore continues. It returns all errors, joined.
func (m *Meter) Restore(records iter.Seq2[calls.Record, error]) error {
	if err := m.ready(); err != nil {
		return err
	}
	if records == nil {
		return invalid("records", "", "must not be nil")
	}
	return errors.Join(m.addEach(calls.Once(records), true)...)
}

// addEach adds valid records. If own is set, this program wrote them in an earlier run.
func (m *Meter) addEach(records iter.Seq2[calls.Record, error], own bool) (errs []error) {
	for r, err := range records {
		if err == nil {
			err = m.add(r, own)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// add counts an earlier call, or another program's call, unless the record is a copy.
func (m *Meter) add(r calls.Record, own bool) error {
	c, err := r.Count(m.prices, false)
	if err != nil {
		return err
	}
	if c.Unpriced != "" && c.BoundUSD == "" && c.HasCounts {
		if again, err := c.Count(m.prices, true); err == nil {
			c.BoundUSD = cmp.Or(again.USD, again.BoundUSD)
		}
	}
	m.mu.Lock()
	defer m.unlock()
	var reserved []reservation
	switch {
	case c.Incomplete && c.USD == "": // budgets are spent at least
	case m.isCopy(&c):
		return nil
	case once.Fetches(c.Path, c.ID):
		reserved = m.take(c.ID).reserved
	}
	return m.count(&c, reserved, own)
}

// followInterval is the pause between two reads.
const followInterval = time.Second

const maxFollowErrors = 100

// Follow lets programs that write to the same directory share m's budgets. It also
// carries budgets over to a program's next run. The log must receive m's records, as
// with WithRecorder(log.Record).
//
// Follow first counts towards the budgets what others have written to the log's
// directory in the current periods, then every second what they append, until ctx ends.
// Budgets without a period count the whole directory. The log's own files are skipped:
// their calls are counted already. A response that several programs made or fetched
// counts once. [Meter.Spent] still counts only m's calls.
//
// # Before the first call
//
// Follow reads the directory at least once, even if ctx has ended. To know the amount
// spent before your program starts, call Follow with an ended context first. A later
// Follow with the same log continues there and counts nothing twice.
//
// # Errors
//
// Follow continues after an error, such as an unreadable line. When ctx ends, it returns
// nil or the errors, at most 100, with only the first from each file. With [WithStrict]
// the budgets refuse all calls after such an error. A wrong log is a [*ValueError], at
// once.
//
// # Accuracy
//
// Programs don't see each other's running calls, and see an ended call up to a second
// later. So n programs can exceed a budget further than one: by the amount that n-1
// programs spend in a second, plus the calls they then have running. If eight programs
// each make ten calls a second at 0.01 USD, one at a time, this is 7 × (0.10 + 0.01) =
// 0.77 USD.
func (m *Meter) Follow(ctx context.Context, log *calls.Log) error {
	if err := m.ready(); err != nil {
		return err
	}
	if log == nil {
		return invalid("log", "", "must not be nil")
	}
	ticker := time.NewTicker(followInterval)
	defer ticker.Stop()
	var errs []error
	for others := m.othersOf(log); ; {
		failed := m.addEach(others, false)
		var wrong *ValueError
		if errors.As(errors.Join(failed...), &wrong) {
			return wrong
		}
		if m.strict && len(failed) > 0 {
			m.mu.Lock()
			m.unread = failed[0]
			m.mu.Unlock()
		}
		errs = append(errs, failed[:min(len(failed), maxFollowErrors-len(errs))]...)
		select {
		case <-ctx.Done():
			return errors.Join(errs...)
		case <-ticker.C:
		}
	}
}

// othersOf returns the same sequence for each Follow with log, so a later one continues
// where an earlier one ended.
func (m *Meter) othersOf(log *calls.Log) iter.Seq2[calls.Record, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.others[log] == nil {
		m.others[log] = log.Others(m.began(time.Now()))
	}
	return m.others[log]
}

// began returns the start time for the longest budget period: the zero time for
// PeriodTotal.
func (m *Meter) began(now time.Time) time.Time {
	began := now
	for _, a := range m.budgets {
		if b := a.budget.Per.began(now); b.Before(began) {
			began = b
		}
	}
	return began
}

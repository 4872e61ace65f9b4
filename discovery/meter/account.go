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

// account is the state of a budget. The lock of the Meter guards it.
type account struct {
	budget         Budget
	limit, perCall decimal.Decimal
	warnAt         decimal.Decimal
	// period is the clock's, and left has the ones before that it left within a day, or last, with the time. Of earlier ones only
	// these have balances. Later ones may: the clock of the program that wrote a record may have been wrong.
	period   time.Time
	left     map[time.Time]time.Time
	balances map[balanceKey]*balance
	// warnings are those to deliver when the Meter is unlocked.
	warnings []BudgetWarning
}

// balanceKey selects a balance by the value of the label and by the period.
type balanceKey struct {
	label  string
	period time.Time
}

// balance is what was spent and what is set aside in a period.
type balance struct {
	label    string
	spent    decimal.Sum
	reserved decimal.Decimal
	warned   bool // that most of the budget is spent
}

// reservation is what an account has set aside for a call. The call settles with the balance that it reserved from, even if the
// period of the balance has ended.
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

// advance sets the clock, and frees the balances of the periods before, unless it left them within a day: a clock that was
// ahead for a moment must not reopen the budget when it is set back. The monotonic clock tells how long ago that was.
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

// keeps reports whether a period may have balances.
func (a *account) keeps(period time.Time) bool {
	_, left := a.left[period]
	return left || !period.Before(a.period)
}

// balance returns the balance of a call with labels in a period.
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

// refuses reports whether another call exceeds the budget.
func (a *account) refuses(b *balance) bool {
	committed := b.committed()
	if a.perCall.IsZero() {
		return committed.Cmp(a.limit) >= 0
	}
	return committed.Add(a.perCall).Cmp(a.limit) > 0
}

func (b *balance) committed() decimal.Decimal { return b.spent.Total().Add(b.reserved) }

// spend adds what a call costs to the balance: nothing without a record. Subscriptions that cost nothing have no reservation. It notes a
// warning when that is due.
func (r reservation) spend(of *calls.Record) {
	a, b := r.account, r.balance
	if of != nil {
		b.spent.Add(budget.Expense(of, a.perCall, false))
	}
	if !b.warned && b.spent.Total().Cmp(a.warnAt) >= 0 {
		b.warned = true
		a.warnings = append(a.warnings, BudgetWarning{Budget: a.budget, Label: b.label, Spent: prices.USD(b.spent.Total().String())})
	}
}

// unknown is the record of a call of which nothing is known.
var unknown calls.Record

// settle returns what was set aside and spends what the call costs: nothing without a record.
func settle(reserved []reservation, of *calls.Record) {
	for _, r := range reserved {
		r.balance.reserved = r.balance.reserved.Sub(r.account.perCall)
		r.spend(of)
	}
}

// reserve sets PerCall of every budget aside, or of none.
func (m *Meter) reserve(now time.Time, labels map[string]string) ([]reservation, *BudgetError) {
	m.mu.Lock()
	defer m.mu.Unlock()
	reserved := make([]reservation, 0, len(m.budgets))
	for _, a := range m.budgets {
		a.advance(now)
		b := a.balance(labels, a.period)
		if m.unread != nil || a.refuses(b) {
			return nil, &BudgetError{Budget: a.budget, Label: b.label, Spent: prices.USD(b.spent.Total().String()), Reserved: prices.USD(b.reserved.String()), Unread: m.unread}
		}
		reserved = append(reserved, reservation{a, b})
	}
	for _, r := range reserved {
		r.balance.reserved = r.balance.reserved.Add(r.account.perCall)
	}
	return reserved, nil
}

// charge spends the cost of a call for which nothing was set aside. A budget forgets periods that have ended.
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

// setsAside reports whether a budget has PerCall.
func (m *Meter) setsAside() bool {
	return slices.ContainsFunc(m.budgets, func(a *account) bool { return !a.perCall.IsZero() })
}

// loginToken begins the access tokens of a login to Claude. Keys of the API begin otherwise.
const loginToken = "sk-ant-oat" //nolint:gosec // a prefix

// billing returns how a call is billed: as a subscription if it has the token of a login, or goes to ChatGPT. The Host field names the
// host where a proxy has its own one in the URL.
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

// free reports whether calls with a Billing cost the budgets nothing.
func (m *Meter) free(billing string) bool { return m.chargesOnly && billing == calls.Subscription }

// atLeast returns what the counts and fees of a call cost that arrived before its final counts, or "" if there are none or their price is
// not known. It is a lower bound: a provider repeats what it has counted, and adds to it. Tiers and cache reads, which make counts cheaper,
// arrive with the counts. Output that was not counted yet is not in it.
func atLeast(list *prices.List, call prices.Call) prices.USD {
	usd, err := list.USDOf(call)
	if usd == "0" {
		return ""
	}
	return cmp.Or(usd, boundOf(err))
}

// boundOf returns what a call costs at least by the error of its cost.
func boundOf(err error) prices.USD {
	var unpriced *prices.UnpricedError
	if errors.As(err, &unpriced) {
		return unpriced.BoundUSD
	}
	return ""
}

// Restore counts earlier records, such as the records of a calls file, towards the budgets and [Meter.Spent], so that a
// budget survives a restart. Recorders do not get them. Records of one call count once, as [calls.Copies] describes. A record without a
// cost counts as its BoundUSD or as Budget.PerCall, if that is more; a BoundUSD that is missing is computed. Restore
// reads on after an error of the sequence, and returns all of them joined.
func (m *Meter) Restore(records iter.Seq2[calls.Record, error]) error {
	if err := m.ready(); err != nil {
		return err
	}
	if records == nil {
		return invalid("records", "", "must not be nil")
	}
	return errors.Join(m.addEach(calls.Once(records), true)...)
}

// addEach counts each record as it counts, and returns the errors. Own records are those of this program at an earlier run.
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

// add counts a record of an earlier call, or of another program, unless it is a copy.
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

// followInterval is the time between two looks at a folder.
const followInterval = time.Second

// maxFollowErrors bounds the errors that Follow keeps.
const maxFollowErrors = 100

// Follow lets the programs that write to a folder share the budgets of m, and lets the budgets outlive a program. log gets the records of
// m, as with WithRecorder(log.Record). Follow counts towards the budgets what others have written to the folder of log in the present
// periods, then each second what they append, until ctx ends. The files of log itself are left out: their calls are counted already. A
// response that several programs made or fetched counts once. [Meter.Spent] counts the calls of m alone. A budget without a period counts
// the whole folder.
//
// Follow reads the folder at least once, even if ctx has ended. A program that must not begin before the spent part is known calls it with
// such a context first: a later Follow of the same log continues there, and counts nothing twice.
//
// Follow reads on after an error, such as a line that cannot be read, and returns nil or the errors when ctx ends, at
// most 100: of each file the first. With [WithStrict] the budgets refuse all calls from then on. The error of a wrong log is a [*ValueError],
// at once.
//
// A program does not see the calls that run in another one, and sees a call that has ended up to a second later. So n programs together
// can exceed a budget further than one of them alone: by what n-1 of them spend within a second, and by the calls that they then have
// running. For eight programs that make ten calls of 0.01 USD a second each, one at a time, this is 7 × (0.10 + 0.01) = 0.77 USD.
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

// othersOf returns the sequence of what others write to the folder of a Log, which is the same one for each Follow.
func (m *Meter) othersOf(log *calls.Log) iter.Seq2[calls.Record, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.others[log] == nil {
		m.others[log] = log.Others(m.began(time.Now()))
	}
	return m.others[log]
}

// began returns when the longest period of the budgets began, and the zero time for one without a begin.
func (m *Meter) began(now time.Time) time.Time {
	began := now
	for _, a := range m.budgets {
		if b := a.budget.Per.began(now); b.Before(began) {
			began = b
		}
	}
	return began
}

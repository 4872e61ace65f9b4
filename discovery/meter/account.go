package meter

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
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
	if endpoints.Subscribed(req.URL.Path) {
		if e, _ := official(cmp.Or(req.Host, req.URL.Host)); e.Subscription {
			return calls.Subscription
		}
	}
	return ""
}

// free reports whether such calls cost the budgets nothing.
func (m *Meter) free(billing string) bool { return m.chargesOnly && billing == calls.Subscription }

package meter

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/budget"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Period is the time after which a [Budget] starts again.
type Period string

// Days and months start at midnight UTC.
const (
	PeriodTotal Period = ""
	PeriodDay   Period = "day"
	PeriodMonth Period = "month"
)

// began returns the start of when's period, or the zero time for PeriodTotal.
func (p Period) began(when time.Time) time.Time {
	year, month, day := when.UTC().Date()
	switch p {
	case PeriodDay:
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	case PeriodMonth:
		return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	default: // PeriodTotal
		return time.Time{}
	}
}

// layouts format period names, such as "2026-11-22" or "2026-11".
var layouts = map[Period]string{PeriodTotal: "", PeriodDay: time.DateOnly, PeriodMonth: "2006-01"}

// Budget limits the cost of a [Meter]'s calls, including the UpstreamUSD in their
// records.
type Budget struct {
	// USD is the limit in US dollars, as a plain decimal such as "12.50".
	USD prices.USD `json:"usd"`
	// Per is the period after which the budget starts again. By default it never does.
	Per Period `json:"per"`
	// Label names a label. Each of its values then has a separate budget; calls without
	// the label share one.
	Label string `json:"label"`
	// PerCall is set aside for each call while it runs, and returned once the cost is
	// known. Only a cost above PerCall can exceed the budget.
	//
	// If a call's cost stays unknown, it costs PerCall or its [calls.Record].BoundUSD,
	// whichever is more. This includes models without a price, and unknown hosts if the
	// path looks like a provider's API.
	//
	// If PerCall is "", calls are sent until the budget is used up; calls that are still
	// running then exceed it. Unknown costs count as BoundUSD, and calls to unknown hosts
	// are unlimited. If PerCall exceeds USD, every call is refused.
	PerCall prices.USD `json:"per_call"`
}

// ParseBudget parses a budget: "5", "5/day", "100/month" or, to limit each value of a
// label, "2/day/label:user". The error is a [*ValueError].
//
// PerCall is "" in the result, so the call that uses the budget up may exceed it. To
// prevent that, set PerCall to your most expensive call's cost.
func ParseBudget(text string) (Budget, error) {
	b, err := budget.Parse("meter", text)
	return Budget{USD: b.USD, Per: Period(b.Per), Label: b.Label}, err
}

func (b *Budget) check() (limit, perCall decimal.Decimal, err error) {
	var ok bool
	if limit, ok = decimal.ParsePlain(b.USD); !ok {
		return limit, perCall, invalid("USD", string(b.USD), "must be a plain decimal such as 12.50")
	}
	if b.PerCall != "" {
		if perCall, ok = decimal.ParsePlain(b.PerCall); !ok {
			return limit, perCall, invalid("PerCall", string(b.PerCall), "must be a plain decimal such as 0.05")
		}
	}
	if _, ok := layouts[b.Per]; !ok {
		return limit, perCall, invalid("Per", string(b.Per), "must be a Period")
	}
	return limit, perCall, nil
}

// BudgetError is returned if a budget refused a call. Nothing was sent.
//
// [http.Client.Do] returns a response with status 402 and no error; reading its body to
// the end returns the *BudgetError.
type BudgetError struct {
	// Budget refused the call.
	Budget Budget
	// LabelValue is the value of the budget's label.
	LabelValue string
	// SpentUSD was spent in this period. ReservedUSD is set aside for running calls.
	SpentUSD, ReservedUSD prices.USD
	// Unread is set with [WithStrict] if unreadable records hide the amount spent; nil if
	// the budget is used up.
	Unread error
}

func (e *BudgetError) Error() string {
	of := ""
	if e.Budget.Label != "" {
		of = fmt.Sprintf(" of %s %q", e.Budget.Label, e.LabelValue)
	}
	if e.Budget.Per != "" {
		of += " for this " + string(e.Budget.Per)
	}
	if e.Unread != nil {
		return fmt.Sprintf("meter: the budget of %s USD%s refuses all calls: unknown spending: %v", e.Budget.USD, of, e.Unread)
	}
	return fmt.Sprintf("meter: the budget of %s USD%s refuses the call: %s USD spent, %s USD set aside", e.Budget.USD, of, e.SpentUSD, e.ReservedUSD)
}

// BudgetState is a [Budget]'s current balance, separate for each label value. Amounts
// are exact, in US dollars.
type BudgetState struct {
	Budget Budget `json:"budget"`
	// LabelValue is the value of the budget's label, or "" if the budget or the call has no
	// label.
	LabelValue string `json:"label_value"`
	// Period is a day or month in UTC, such as "2026-11-22" or "2026-11", or "" for a
	// budget that never starts again.
	Period string `json:"period"`
	// SpentUSD was spent in this period. ReservedUSD is set aside for
	// running calls and background responses.
	SpentUSD    prices.USD `json:"spent_usd"`
	ReservedUSD prices.USD `json:"reserved_usd"`
	// LeftUSD is neither spent nor set aside. It's never negative.
	LeftUSD prices.USD `json:"left_usd"`
}

// String returns a line such as "2026-11-22 ann: spent 3.5 USD of 10".
func (s BudgetState) String() string {
	text := fmt.Sprintf("spent %s USD of %s", s.SpentUSD, s.Budget.USD)
	if of := strings.TrimSpace(s.Period + " " + s.LabelValue); of != "" {
		text = of + ": " + text
	}
	return text
}

// Budgets returns every budget's state, in [WithBudget] order. If a budget has a label,
// there's one state for each value with a call in the current period, sorted; before
// the first call there's no state.
func (m *Meter) Budgets() []BudgetState {
	now, states := time.Now(), []BudgetState{}
	if m.ready() != nil {
		return states
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.budgets {
		a.advance(now)
		states = append(states, a.states()...)
	}
	return states
}

func (a *account) states() (states []BudgetState) {
	if a.budget.Label == "" {
		a.balance(nil, a.period) // also before the first call
	}
	for key, b := range a.balances {
		if key.period != a.period {
			continue
		}
		left := a.limit.Sub(b.committed())
		if left.Cmp(decimal.Decimal{}) < 0 {
			left = decimal.Decimal{}
		}
		states = append(states, BudgetState{
			Budget: a.budget, LabelValue: b.label, Period: a.period.Format(layouts[a.budget.Per]),
			SpentUSD: prices.USD(b.spent.Total().String()), ReservedUSD: prices.USD(b.reserved.String()), LeftUSD: prices.USD(left.String()),
		})
	}
	slices.SortFunc(states, func(x, y BudgetState) int { return cmp.Compare(x.LabelValue, y.LabelValue) })
	return states
}

// refused returns a response instead of sending the call. Official SDKs retry neither
// status 402 nor x-should-retry: false. The body ends with the BudgetError in place of
// io.EOF, so errors.As finds it in their errors.
func refused(req *http.Request, form string, refusal *BudgetError) *http.Response {
	return &http.Response{
		Status: "402 Payment Required", StatusCode: http.StatusPaymentRequired,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}, "X-Should-Retry": {"false"}},
		Body:          io.NopCloser(&refusedBody{strings.NewReader(refusalText(form, refusal)), refusal}),
		ContentLength: -1,
		Request:       req,
	}
}

type refusedBody struct {
	text io.Reader
	err  error
}

func (b *refusedBody) Read(p []byte) (int, error) {
	n, err := b.text.Read(p)
	if err != nil {
		err = b.err
	}
	return n, err
}

// refusals are error bodies by API. Other APIs use the OpenAI form.
var refusals = map[models.Provider]string{
	models.OpenAI:       `{"error":{"code":"budget_exceeded","message":%s,"param":null,"type":"budget_exceeded"}}`,
	models.Anthropic:    `{"error":{"message":%s,"type":"billing_error"},"type":"error"}`,
	models.Gemini:       `{"error":{"code":402,"message":%s,"status":"RESOURCE_EXHAUSTED"}}`,
	prices.FormConverse: `{"message":%s}`,
	prices.FormInvoke:   `{"message":%s}`,
}

func refusalText(form string, refusal *BudgetError) string {
	message, _ := json.Marshal(refusal.Error())
	return fmt.Sprintf(cmp.Or(refusals[models.Provider(form)], refusals[models.OpenAI]), message)
}

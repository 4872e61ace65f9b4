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

// Period is the time for which a [Budget] is.
type Period string

// The periods. A day and a month begin at midnight UTC.
const (
	PeriodTotal Period = ""
	PeriodDay   Period = "day"
	PeriodMonth Period = "month"
)

// began returns when the period that a time is in began; the zero time for PeriodTotal.
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

// layouts are the forms of the names of periods, such as "2026-11-22" or "2026-11".
var layouts = map[Period]string{PeriodTotal: "", PeriodDay: time.DateOnly, PeriodMonth: "2006-01"}

// Budget limits what the calls of a [Meter] cost, the UpstreamUSD of their records included.
type Budget struct {
	// USD is the limit in US dollars, a plain decimal such as "12.50".
	USD prices.USD `json:"usd"`
	// Per is the period after which the budget begins again; by default it never does.
	Per Period `json:"per"`
	// Label is the name of a label, each value of which has a budget of its own. Calls without the label share one.
	Label string `json:"label"`
	// PerCall is set aside for each call while it runs, and returned when its cost is known. Only what a call costs beyond it can
	// exceed the budget. A call whose cost stays unknown costs PerCall, or its [calls.Record].BoundUSD if that is more. So does a call of
	// a model without a price, and a call to a host that the Meter does not know, if its path is one of a provider's API. With "",
	// calls are sent until the budget is used up, and those that run then exceed it. A call whose cost stays unknown then costs its
	// BoundUSD, and calls to unknown hosts are not limited. With more than USD every call is refused.
	PerCall prices.USD `json:"per_call"`
}

// ParseBudget parses a budget without PerCall: "5", "5/day", "100/month" or, for each value of a label, "2/day/label:user". The error is
// a [*ValueError].
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

// BudgetError is the error of a call that a budget refused. Nothing was sent. [http.Client.Do] returns a response with status 402 and
// no error; reading its body to the end returns the *BudgetError.
type BudgetError struct {
	// Budget is the budget that is used up.
	Budget Budget
	// Label is the value of its label.
	Label string
	// Spent is what was spent in the period, and Reserved what is set aside for calls that run, in US dollars.
	Spent, Reserved prices.USD
	// Unread is why the amount that was spent is not known, with [WithStrict]; nil if the budget is used up.
	Unread error
}

func (e *BudgetError) Error() string {
	of := ""
	if e.Budget.Label != "" {
		of = fmt.Sprintf(" of %s %q", e.Budget.Label, e.Label)
	}
	if e.Budget.Per != "" {
		of += " for this " + string(e.Budget.Per)
	}
	if e.Unread != nil {
		return fmt.Sprintf("meter: the budget of %s USD%s refuses all calls, since what was spent is not known: %v", e.Budget.USD, of, e.Unread)
	}
	return fmt.Sprintf("meter: the budget of %s USD%s refuses the call: %s USD spent, %s USD set aside", e.Budget.USD, of, e.Spent, e.Reserved)
}

// BudgetState is what has become of a [Budget] in the present period, or of the budget of one value of its label. Amounts are exact, in
// US dollars.
type BudgetState struct {
	Budget Budget `json:"budget"`
	// Label is the value of the budget's label; "" for a budget without one, and for calls without the label.
	Label string `json:"label"`
	// Period is the day or month in UTC, such as "2026-11-22" or "2026-11"; "" for a budget that never begins again.
	Period string `json:"period"`
	// Spent is what was spent, and Reserved what is set aside for calls that run and for responses in the background.
	Spent    prices.USD `json:"spent"`
	Reserved prices.USD `json:"reserved"`
	// Left is what neither was spent nor is set aside. It is never negative.
	Left prices.USD `json:"left"`
}

// String returns a line such as "2026-11-22 ann: spent 3.5 USD of 10".
func (s BudgetState) String() string {
	text := fmt.Sprintf("spent %s USD of %s", s.Spent, s.Budget.USD)
	if of := strings.TrimSpace(s.Period + " " + s.Label); of != "" {
		text = of + ": " + text
	}
	return text
}

// Budgets returns the state of each budget, in the order of [WithBudget]. A budget with a label has one for each value that had a
// call in the present period, sorted, and none before the first call.
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
			Budget: a.budget, Label: b.label, Period: a.period.Format(layouts[a.budget.Per]),
			Spent: prices.USD(b.spent.Total().String()), Reserved: prices.USD(b.reserved.String()), Left: prices.USD(left.String()),
		})
	}
	slices.SortFunc(states, func(x, y BudgetState) int { return cmp.Compare(x.Label, y.Label) })
	return states
}

// refused returns the response of a call that a budget refused. Official SDKs repeat neither the status 402 nor a response with
// x-should-retry: false. The body ends with the BudgetError in place of io.EOF, so that errors.As finds it in their errors.
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

// refusals are the bodies of errors in the forms of APIs. The others have that of OpenAI.
var refusals = map[models.Provider]string{
	models.OpenAI:       `{"error":{"code":"budget_exceeded","message":%s,"param":null,"type":"budget_exceeded"}}`,
	models.Anthropic:    `{"error":{"message":%s,"type":"billing_error"},"type":"error"}`,
	models.Gemini:       `{"error":{"code":402,"message":%s,"status":"RESOURCE_EXHAUSTED"}}`,
	prices.FormConverse: `{"message":%s}`,
	prices.FormInvoke:   `{"message":%s}`,
}

// refusalText returns the error in the form of the API.
func refusalText(form string, refusal *BudgetError) string {
	message, _ := json.Marshal(refusal.Error())
	return fmt.Sprintf(cmp.Or(refusals[models.Provider(form)], refusals[models.OpenAI]), message)
}

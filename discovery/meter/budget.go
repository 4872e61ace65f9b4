package meter

import (
	"fmt"
	"time"

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

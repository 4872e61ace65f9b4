package report

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// Advice is something to do.
type Advice struct {
	// Code is the rule: one of the constants.
	Code string `json:"code"`
	// Text is one or two sentences. It contains names of the files, unchanged.
	Text string `json:"text"`
	// Command is a command or a call that does it; "" if there is none.
	Command string `json:"command"`
}

// The codes of advice.
const (
	// CodeRetired: at least half of the calls of a retired model fail.
	CodeRetired = "retired"
	// CodeRetiring: a model in use retires within 14 days.
	CodeRetiring = "retiring"
	// CodeBudget: a budget is exceeded, or will be.
	CodeBudget = "budget"
	// CodeBill: a bill and the calls differ by more than its limit.
	CodeBill = "bill"
	// CodeLabel: one value of a label has at least a fifth of the increase.
	CodeLabel = "label"
	// CodeErrors: at least 3 % of 100 calls or more failed.
	CodeErrors = "errors"
	// CodeUnpriced: at least 0.5 % of the calls have no known cost for a reason that can be fixed.
	CodeUnpriced = "unpriced"
)

// The thresholds of the rules.
const (
	maxAdvice = 5
	// soon is the number of days before its end from which replacing a model is advised.
	soon = 14
	// minLabelShare is the part of the increase, and minErrorRate the part of the calls, in percent.
	minLabelShare = 20
	minErrorRate  = 3
	minErrorCalls = 100
	// minUnpriced is the part of the calls, in thousandths.
	minUnpriced = 5
)

// advise applies all rules.
func (c *collector) advise(r *Report) {
	var all []Advice
	for _, rule := range []func(*Report) []Advice{adviseRetired, adviseRetiring, adviseBudget, adviseBill, adviseLabel, adviseErrors, adviseUnpriced} {
		all = append(all, rule(r)...)
	}
	for _, a := range all {
		if !slices.Contains(r.Codes, a.Code) {
			r.Codes = append(r.Codes, a.Code)
		}
	}
	r.Advice = append(r.Advice, all[:min(len(all), maxAdvice)]...)
}

// adviseRetired is about retired models of which at least half of the calls failed.
func adviseRetired(r *Report) (all []Advice) {
	for i := range r.Retiring {
		m := &r.Retiring[i]
		if m.State != models.StateRetired || 2*m.Failed < m.Calls {
			continue
		}
		failed := fmt.Sprintf("%d of %d calls failed", m.Failed, m.Calls)
		if m.Failed == m.Calls {
			failed = fmt.Sprintf("all calls failed (%d)", m.Calls)
		}
		use, command := replacement(m)
		all = append(all, Advice{CodeRetired, fmt.Sprintf("Replace %s. It retired on %s, and %s.%s", m.Model, m.Date, failed, use), command})
	}
	return all
}

// replacement returns a sentence with the replacement of a model, and the command that prints its price; "" without one.
func replacement(m *Retiring) (sentence, command string) {
	if m.Replacement == "" {
		return "", ""
	}
	return " Use " + m.Replacement + ".", "mesh price " + m.Replacement
}

// adviseRetiring is about models that retire soon, which are one advice.
func adviseRetiring(r *Report) []Advice {
	var retiring []*Retiring
	calls := 0
	for i := range r.Retiring {
		if m := &r.Retiring[i]; m.State == models.StateRetiring && m.Days <= soon && m.Calls > 0 {
			retiring = append(retiring, m)
			calls += m.Calls
		}
	}
	if retiring == nil {
		return nil
	}
	first := retiring[0]
	use, command := replacement(first)
	if len(retiring) == 1 {
		return []Advice{{CodeRetiring, fmt.Sprintf("Replace %s, which retires on %s (%d calls).%s", first.Model, first.Date, calls, use), command}}
	}
	text := fmt.Sprintf("Replace %d models that retire within %d days (%d calls), first %s on %s.%s", len(retiring), soon, calls, first.Model, first.Date, use)
	return []Advice{{CodeRetiring, text, fmt.Sprintf("mesh retired --within %dd", soon)}}
}

// adviseBudget is about budgets that are exceeded, or will be.
func adviseBudget(r *Report) (all []Advice) {
	for i := range r.Budgets {
		b := &r.Budgets[i]
		if !b.Over {
			continue
		}
		by := func(value string) string {
			if b.Label == "" {
				return ""
			}
			return " by " + b.Label + " " + value
		}
		usd := func(usd prices.USD) string { return b.Sheet().Text(money.Format{}, money.Exact(usd)) }
		text := fmt.Sprintf("The budget %s is exceeded: %s USD were spent%s%s.", b.Text, usd(b.SpentUSD), table.Since(b.Per, r.Source.First), by(b.Value))
		if decimal.FromText(b.LeftUSD).Sign() >= 0 {
			text = fmt.Sprintf("The budget %s will be exceeded%s: about %s USD are expected by the end of the month.", b.Text, by(b.ForecastValue), usd(b.ForecastUSD))
		}
		all = append(all, Advice{CodeBudget, text, "mesh meter --budget " + b.Text + " -- COMMAND"})
	}
	return all
}

// adviseLabel is about the thread, or the value of a label, that has much of the increase.
func adviseLabel(r *Report) []Advice {
	if r.Change == nil {
		return nil
	}
	increase := decimal.FromText(r.Change.USD)
	if increase.Sign() <= 0 {
		return nil
	}
	for _, label := range append([]Label{{Name: labelThread, Rows: r.Top.ThreadRows}}, r.Labels...) {
		if len(label.Rows) < 2 { // one value has the whole increase
			continue
		}
		row := slices.MaxFunc(label.Rows, func(a, b Row) int { return decimal.FromText(a.named()).Cmp(decimal.FromText(b.named())) })
		if decimal.FromText(row.named()).Cmp(increase.Mul(decimal.New(minLabelShare, 2))) >= 0 {
			return []Advice{labelAdvice(r, label.Name, &row, increase)}
		}
	}
	return nil
}

// named returns the change of a row that has one value, and 0 of another one.
func (r *Row) named() prices.USD {
	if r.Others || r.Value == "" {
		return "0"
	}
	return r.ChangeUSD
}

// labelAdvice advises a budget of twice what the value of a label cost a day: the mean itself would end every second day early.
func labelAdvice(r *Report, name string, row *Row, increase decimal.Decimal) Advice {
	part := new(big.Rat).Quo(decimal.FromText(row.ChangeUSD).Rat(), increase.Rat())
	share := "more than the whole increase" // since other rows fell
	if part.Cmp(big.NewRat(1, 1)) <= 0 {
		share = part.Mul(part, big.NewRat(100, 1)).FloatString(0) + " % of the increase"
	}
	daily := wholeCents(fraction(decimal.FromText(row.USD), r.Period.Days))
	change := money.Exact(row.ChangeUSD)
	sheet := money.NewSheet(money.Places(change))
	usd := func(usd *big.Rat) string { return sheet.Text(money.Format{}, usd) }
	text := fmt.Sprintf("Look at %s %s, which cost %s USD more than in the %s before %s: %s. It cost %s USD a day; a budget of twice that for each %s limits it.",
		name, row.Value, usd(change), table.Length(r.Previous.From, r.Previous.To), table.Start(r.Period.From), share, usd(daily), name)
	command := ""
	if strings.Trim(name, plain) == "" {
		command = "mesh meter --budget " + new(big.Rat).Add(daily, daily).FloatString(2) + "/day/label:" + name + " -- COMMAND"
	}
	return Advice{CodeLabel, text, command}
}

// wholeCents returns an amount rounded up to cents.
func wholeCents(usd *big.Rat) *big.Rat {
	const cents = 100
	n := new(big.Int).Mul(usd.Num(), big.NewInt(cents))
	n.Add(n, usd.Denom()).Sub(n, big.NewInt(1)).Quo(n, usd.Denom())
	return new(big.Rat).SetFrac(n, big.NewInt(cents))
}

// plain has the characters of names of labels that a shell takes as they are: a command is pasted, and files can have any name.
const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

// adviseErrors is about the model with the most failed calls of those that often fail. Retired models have their own advice.
func adviseErrors(r *Report) []Advice {
	var worst *Latency
	for i := range r.Latency {
		l := &r.Latency[i]
		retired := slices.ContainsFunc(r.Retiring, func(m Retiring) bool { return m.ModelID == l.ModelID && m.State == models.StateRetired })
		if l.Others || retired || l.First.Calls < minErrorCalls || l.First.Failed*100 < minErrorRate*l.First.Calls {
			continue
		}
		if worst == nil || l.First.Failed > worst.First.Failed {
			worst = l
		}
	}
	if worst == nil {
		return nil
	}
	return []Advice{{CodeErrors, fmt.Sprintf("Look at the errors of %s: %d of %d calls failed.", worst.Model, worst.First.Failed, worst.First.Calls), ""}}
}

// adviseUnpriced is about the most frequent reason that can be fixed.
func adviseUnpriced(r *Report) []Advice {
	n := 0
	var most *UnpricedGroup
	for i := range r.Unpriced.Groups {
		if g := &r.Unpriced.Groups[i]; g.Fixable && g.Calls > 0 {
			n += g.Calls
			if most == nil {
				most = g
			}
		}
	}
	if most == nil || n*1000 < minUnpriced*r.Total.Calls {
		return nil
	}
	verb, of := "have", ""
	if n == 1 {
		verb = "has"
	}
	if most.Calls < n {
		of = fmt.Sprintf(", %d of them", most.Calls)
	}
	reason := strings.ToLower(most.Text[:1]) + most.Text[1:]
	text := fmt.Sprintf("%s %s no known cost%s: %s. %s", table.Calls(n), verb, of, reason, most.Fix)
	return []Advice{{CodeUnpriced, text, most.Command}}
}

// billAdvice has what to do about the causes of a difference.
var billAdvice = map[bills.Cause]string{
	bills.NotCountedModel: "Count the calls of that model, too.", bills.MissingCalls: "Find the programs whose calls are not counted.",
	bills.ExtraCalls: "Check whether calls are counted twice, or are on another bill.", bills.PartialDay: "Read the bill again when its last day is complete.",
	bills.UnpricedCalls: "Give the calls without a known cost a price.", bills.AnotherPrice: "Check the prices, also for a discount.",
	bills.Fees: "Compare the fees and credits with your contract.", bills.AmountDiffers: "Read a bill by line item, with quantities.",
}

// adviseBill is about bills that differ from the calls by more than their limit.
func adviseBill(r *Report) (all []Advice) {
	for _, c := range r.Bills {
		if c.Known && !c.Within && len(c.Total.Effects) > 0 {
			cause := c.Total.Effects[0].Cause
			all = append(all, Advice{CodeBill, fmt.Sprintf("Look at the bill of %s: %s. %s", table.Provider(string(c.Provider)), c.Total.Explain(), billAdvice[cause]), ""})
		}
	}
	return all
}

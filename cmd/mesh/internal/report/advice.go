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

// Advice recommends an action.
type Advice struct {
	// Code is the rule: CodeRetired or another constant.
	Code string `json:"code"`
	// Text is one or two sentences. Names in it come from the files, unescaped.
	Text string `json:"text"`
	// Command is a shell command that helps, or "".
	Command string `json:"command"`
}

// Values for Advice.Code.
const (
	// CodeRetired: a retired model is called and at least half of its calls fail.
	CodeRetired = "retired"
	// CodeRetiring: a model in use retires within 14 days.
	CodeRetiring = "retiring"
	// CodeBudget: a budget is exceeded, or will be by the forecast.
	CodeBudget = "budget"
	// CodeBill: a bill and the calls differ by more than its limit.
	CodeBill = "bill"
	// CodeLabel: one value of a label has at least a fifth of the increase.
	CodeLabel = "label"
	// CodeErrors: a model with at least 100 calls has an error rate of 3 % or more.
	CodeErrors = "errors"
	// CodeUnpriced: at least 0.5 % of the calls are unpriced for a fixable reason.
	CodeUnpriced = "unpriced"
)

const (
	maxAdvice = 5
	// soon is in days: replacing a model that retires so soon is urgent.
	soon = 14
	// in percent: minLabelShare of the increase, minErrorRate of the calls
	minLabelShare = 20
	minErrorRate  = 3
	minErrorCalls = 100
	// minUnpriced is in thousandths.
	minUnpriced = 5
)

// rules are in order of urgency. If asked is set, somebody wants to know about this rule
// even if few calls matter.
var rules = []struct {
	code   string
	advise func(r *Report, asked bool) []Advice
}{
	{CodeRetired, adviseRetired},
	{CodeRetiring, adviseRetiring},
	{CodeBudget, adviseBudget},
	{CodeBill, adviseBill},
	{CodeLabel, adviseLabel},
	{CodeErrors, adviseErrors},
	{CodeUnpriced, adviseUnpriced},
}

// Fired returns the texts if a rule fires. Unlike advice, it has no minimum number of
// calls:
//
//   - [CodeRetired]: any call to a retired model failed.
//   - [CodeErrors]: at least 3 % of any model's calls failed, not counting retries.
//   - [CodeUnpriced]: any call is unpriced for a fixable reason.
func (r *Report) Fired(code string) (texts []string) {
	for _, rule := range rules {
		if rule.code == code {
			for _, a := range rule.advise(r, true) {
				texts = append(texts, a.Text)
			}
		}
	}
	return texts
}

func (c *collector) advise(r *Report) {
	var all []Advice
	for _, rule := range rules {
		all = append(all, rule.advise(r, false)...)
	}
	for _, a := range all {
		if !slices.Contains(r.Codes, a.Code) {
			r.Codes = append(r.Codes, a.Code)
		}
	}
	r.Advice = append(r.Advice, all[:min(len(all), maxAdvice)]...)
}

func adviseRetired(r *Report, asked bool) (all []Advice) {
	for _, m := range r.Retiring {
		if m.State != models.StateRetired || m.Failed == 0 || !asked && 2*m.Failed < m.Calls {
			continue
		}
		failed := fmt.Sprintf("%d of %d calls failed", m.Failed, m.Calls)
		if m.Failed == m.Calls {
			failed = fmt.Sprintf("all calls failed (%d)", m.Calls)
		}
		use, command := replacement(&m)
		all = append(all, Advice{CodeRetired, fmt.Sprintf("Replace %s. It retired on %s, and %s.%s", m.Model, m.Date, failed, use), command})
	}
	return all
}

// replacement returns "" twice if the replacement is unknown.
func replacement(m *Retiring) (sentence, command string) {
	if m.Replacement == "" {
		return "", ""
	}
	return " Use " + m.Replacement + ".", "mesh price " + m.Replacement
}

// adviseRetiring combines all such models into one advice.
func adviseRetiring(r *Report, _ bool) []Advice {
	var retiring []*Retiring
	calls := 0
	for _, m := range r.Retiring {
		if m.State == models.StateRetiring && m.Days <= soon && m.Calls > 0 {
			retiring = append(retiring, &m)
			calls += m.Calls
		}
	}
	if retiring == nil {
		return nil
	}
	first := retiring[0]
	use, command := replacement(first)
	if len(retiring) == 1 {
		return []Advice{{CodeRetiring, fmt.Sprintf("Replace %s, which retires on %s (%s).%s", first.Model, first.Date, table.Calls(calls), use), command}}
	}
	text := fmt.Sprintf("Replace %d models that retire within %d days (%d calls), first %s on %s.%s", len(retiring), soon, calls, first.Model, first.Date, use)
	return []Advice{{CodeRetiring, text, fmt.Sprintf("mesh retired --used CALLS --within %dd", soon)}}
}

func adviseBudget(r *Report, _ bool) (all []Advice) {
	for _, b := range r.Budgets {
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

// adviseLabel looks for a thread or label value with a large share of the increase.
func adviseLabel(r *Report, _ bool) []Advice {
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

// named returns 0 for rows that don't stand for a single value.
func (r *Row) named() prices.USD {
	if r.Others || r.Value == "" {
		return "0"
	}
	return r.ChangeUSD
}

// labelAdvice recommends a budget of twice the mean daily cost: the mean itself would
// stop every second day early.
func labelAdvice(r *Report, name string, row *Row, increase decimal.Decimal) Advice {
	part := new(big.Rat).Quo(decimal.FromText(row.ChangeUSD).Rat(), increase.Rat())
	share := "more than the whole increase" // other rows fell
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

// wholeCents rounds up.
func wholeCents(usd *big.Rat) *big.Rat {
	const cents = 100
	n := new(big.Int).Mul(usd.Num(), big.NewInt(cents))
	n.Add(n, usd.Denom()).Sub(n, big.NewInt(1)).Quo(n, usd.Denom())
	return new(big.Rat).SetFrac(n, big.NewInt(cents))
}

// plain has the label characters that need no shell quoting: people paste the command,
// and files can have any name.
const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

// adviseErrors names the model with the most failed calls. Unless asked, it leaves
// retired models to their own advice.
func adviseErrors(r *Report, asked bool) []Advice {
	var worst *Latency
	for _, l := range r.Latency {
		retired := slices.ContainsFunc(r.Retiring, func(m Retiring) bool { return m.ModelID == l.ModelID && m.State == models.StateRetired })
		if l.Others || l.First.Failed == 0 || l.First.Failed*100 < minErrorRate*l.First.Calls || !asked && (retired || l.First.Calls < minErrorCalls) {
			continue
		}
		if worst == nil || l.First.Failed > worst.First.Failed {
			worst = &l
		}
	}
	if worst == nil {
		return nil
	}
	return []Advice{{CodeErrors, fmt.Sprintf("Look at the errors of %s: %d of %d calls failed.", worst.Model, worst.First.Failed, worst.First.Calls), ""}}
}

// adviseUnpriced names the most frequent fixable reason; unpriced groups are sorted.
func adviseUnpriced(r *Report, asked bool) []Advice {
	n := 0
	var most *UnpricedGroup
	for _, g := range r.Unpriced.Groups {
		if g.Fixable && g.Calls > 0 {
			n += g.Calls
			if most == nil {
				most = &g
			}
		}
	}
	if most == nil || !asked && n*1000 < minUnpriced*r.Total.Calls {
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

var billAdvice = map[bills.Cause]string{
	bills.NotCountedModel: "Count the calls of that model, too.", bills.MissingCalls: "Find programs with uncounted calls.",
	bills.ExtraCalls: "Check whether calls are counted twice, or are on another bill.", bills.PartialDay: "Read the bill again when its last day is complete.",
	bills.UnpricedCalls: "Give the calls without a known cost a price.", bills.AnotherPrice: "Check the prices, also for a discount.",
	bills.Fees: "Compare the fees and credits with your contract.", bills.AmountDiffers: "Read a bill by line item, with quantities.",
}

func adviseBill(r *Report, _ bool) (all []Advice) {
	for _, c := range r.Bills {
		if c.Known && !c.Within && len(c.Total.Effects) > 0 {
			cause := c.Total.Effects[0].Cause
			all = append(all, Advice{CodeBill, fmt.Sprintf("Look at the bill of %s: %s. %s", table.Provider(string(c.Provider)), c.Total.Explain(), billAdvice[cause]), ""})
		}
	}
	return all
}

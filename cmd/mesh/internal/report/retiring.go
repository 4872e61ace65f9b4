package report

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Retiring is a model in use that is deprecated or retired, or will be retired.
type Retiring struct {
	ModelID
	State models.RetirementState `json:"state"`
	// Date is the model's last day on its platform or at its provider, or "". Days counts
	// from Options.Now to Date: negative for retired models, 0 if Date is "".
	Date string `json:"date"`
	Days int    `json:"days"`
	// Replacement is a model that isn't deprecated and doesn't retire soon; "" if unknown.
	Replacement string     `json:"replacement"`
	Calls       int        `json:"calls"`
	Failed      int        `json:"failed"`
	USD         prices.USD `json:"usd"`
	// Same estimates the replacement's cost, at its current price, for SameCalls calls that
	// cost SameUSD. It is nil if no call could be priced that way.
	Same      *Estimate  `json:"same"`
	SameCalls int        `json:"same_calls"`
	SameUSD   prices.USD `json:"same_usd"`
	// Label is the first label in Report.Labels; Values are up to three values that use the
	// model most.
	Label  string   `json:"label"`
	Values []string `json:"values"`
}

// maxUsing limits the label values per model.
const maxUsing = 3

// daysTo returns 0 if date is not a date.
func daysTo(date string, today int64) int {
	at, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return 0
	}
	return int(calendar.DayNumber(at) - today)
}

func (c *collector) retiring(labels []Label) []Retiring {
	rows := []Retiring{}
	for id, m := range c.current.models {
		if m.retires {
			rows = append(rows, c.retiringRow(id, m, labels))
		}
	}
	slices.SortFunc(rows, func(a, b Retiring) int {
		return cmp.Or(cmp.Compare(stateOrder(a.State), stateOrder(b.State)), cmp.Compare(a.Date, b.Date), cmp.Compare(b.Calls, a.Calls), compareIDs(a.ModelID, b.ModelID))
	})
	return rows
}

func (c *collector) retiringRow(id ModelID, m *model, labels []Label) Retiring {
	row := Retiring{
		ModelID: id, State: m.retirement.State, Date: m.retirement.Date, Days: daysTo(m.retirement.Date, c.window.today), Replacement: m.retirement.Replacement,
		Calls: m.Calls, Failed: m.Failed, USD: usdOf(m.total()), SameCalls: m.same.calls, SameUSD: usdOf(m.same.usd.Total()), Values: []string{},
	}
	if m.same.calls > 0 {
		would := usdOf(m.same.would.Total())
		row.Same = &Estimate{USD: would, Method: MethodSameTokens}
	}
	if len(labels) > 0 {
		row.Label = labels[0].Name
		for _, u := range slices.SortedFunc(maps.Keys(m.users), func(a, b user) int {
			return cmp.Or(cmp.Compare(m.users[b], m.users[a]), cmp.Compare(a.value, b.value))
		}) {
			if u.label == row.Label && len(row.Values) < maxUsing {
				row.Values = append(row.Values, u.value)
			}
		}
	}
	return row
}

func stateOrder(s models.RetirementState) int {
	return slices.Index([]models.RetirementState{models.StateRetired, models.StateRetiring, models.StateDeprecated}, s)
}

// replacing compares a model's calls with its replacement.
type replacing struct {
	calls int
	// usd was paid, would is the replacement's cost
	usd, would decimal.Sum
}

// add uses current prices.
func (s *replacing) add(c *call, replacement string, now time.Time, list *prices.List) {
	if !c.counted || !c.HasCounts {
		return
	}
	same, _ := c.Call()
	same.Model, same.At, same.Usage.ChargedUSD = replacement, now, ""
	cost, err := list.CostOf(same)
	if err != nil {
		return
	}
	s.calls++
	s.usd.Add(c.usd)
	s.would.Add(decimal.FromText(cost.USD))
}

// retirementNotice is in days.
const retirementNotice = 90

func retires(s *models.RetirementStatus, today int64) bool {
	switch s.State {
	case models.StateRetired, models.StateDeprecated:
		return true
	case models.StateRetiring:
		return daysTo(s.Date, today) <= retirementNotice
	default:
		return false
	}
}

// Sessions describes calls from agent session files.
type Sessions struct {
	// First is the first call's time: agents delete old files.
	Calls int       `json:"calls"`
	First time.Time `json:"first"`
	// Assumed counts calls whose cache writes lack a stated lifetime. They count as
	// five-minute writes.
	Assumed int `json:"assumed"`
	// WithoutLine counts records for usage that an agent's totals have and its lines don't;
	// Calls excludes them. Requested counts calls whose tier was requested but maybe not
	// served.
	WithoutLine int `json:"without_a_line,omitempty"`
	Requested   int `json:"requested_tier,omitempty"`
	// Notes counts notes about missing facts.
	Notes int `json:"notes,omitempty"`
}

// String explains what session files lack.
func (s *Sessions) String() string {
	text := fmt.Sprintf("%s from session files, which begin on %s: programs delete old ones (Claude Code after 30 days). They have no failed calls or fees, and do not say whether a subscription paid.",
		table.Number(s.Calls, "call is", "calls are"), s.First.Format(time.DateOnly))
	if s.Assumed > 0 {
		text += fmt.Sprintf(" The cache writes in %s no lifetime there; five minutes are assumed.", table.Number(s.Assumed, "call have", "calls have"))
	}
	if s.Requested > 0 {
		text += fmt.Sprintf(" The tier of %s is the one that was requested.", table.Number(s.Requested, "call", "calls"))
	}
	text += s.uncounted()
	if s.Notes > 0 {
		text += fmt.Sprintf(" mesh usage --explain prints %s with more.", table.Number(s.Notes, "note", "notes"))
	}
	return text
}

// uncounted explains why the cost isn't the number of calls times their mean cost.
func (s *Sessions) uncounted() string {
	if s.WithoutLine == 0 {
		return ""
	}
	return " Costs include usage that only session totals have, such as compactions; the numbers of calls don't."
}

func (s *Sessions) add(one *call) {
	if one.WithoutLine {
		s.WithoutLine++
	} else {
		s.Calls++
	}
	if s.First.IsZero() || one.Time.Before(s.First) {
		s.First = one.Time
	}
	if one.Labels["tier"] == "requested" {
		s.Requested++
	}
	if one.Counts.CacheWrite5m > 0 && !bytes.Contains(one.Usage, []byte("ephemeral_5m")) {
		s.Assumed++
	}
}

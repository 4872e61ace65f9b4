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

// Retiring is a model in use that retires or is retired.
type Retiring struct {
	ModelID
	State models.RetirementState `json:"state"`
	// Date is the last day of the model on its platform or at its provider, "" without one. Days is the number of days from Options.Now
	// to it, negative for a retired model, and 0 without a date.
	Date string `json:"date"`
	Days int    `json:"days"`
	// Replacement lasts itself: it is not deprecated and does not retire soon. "" means that none is known.
	Replacement string     `json:"replacement"`
	Calls       int        `json:"calls"`
	Failed      int        `json:"failed"`
	USD         prices.USD `json:"usd"`
	// Same is what the calls that have a known cost would cost with the replacement, at its price now; nil if no such price is known.
	// SameCalls is their number, and SameUSD what they cost.
	Same      *Estimate  `json:"same"`
	SameCalls int        `json:"same_calls"`
	SameUSD   prices.USD `json:"same_usd"`
	// Label is the name of the first of Report.Labels, and Values are up to three of its values that use the model most.
	Label  string   `json:"label"`
	Values []string `json:"values"`
}

// maxUsing is the number of the values of a label that are named for a model.
const maxUsing = 3

// daysTo returns the number of days to a date; 0 for a text that is not a date.
func daysTo(date string, today int64) int {
	at, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return 0
	}
	return int(calendar.DayNumber(at) - today)
}

// retiring returns the models in use that retire. labels are those of the report.
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

// replacing is what calls of a model would cost with its replacement.
type replacing struct {
	calls int
	// usd is what these calls cost, and would what they would cost.
	usd, would decimal.Sum
}

// add adds a call, at the prices of now.
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

// retirementNotice is the number of days before its end from which a model is reported.
const retirementNotice = 90

// retires reports whether a model is reported.
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

// Sessions is what is known of calls of the session files of agent programs.
type Sessions struct {
	// Calls is their number, and First the time of the first one: the programs delete old files.
	Calls int       `json:"calls"`
	First time.Time `json:"first"`
	// Assumed is the number of calls with cache writes whose lifetime the file does not state. They count as writes for five minutes.
	Assumed int `json:"assumed"`
	// WithoutLine is the number of records of programs that state more than their lines have; they are not in Calls. Requested is the
	// number of calls with a tier that was requested and may not have been served.
	WithoutLine int `json:"without_a_line,omitempty"`
	Requested   int `json:"requested_tier,omitempty"`
	// Notes is the number of notes about what the files lack.
	Notes int `json:"notes,omitempty"`
}

// String returns sentences about what the files do not have.
func (s *Sessions) String() string {
	text := fmt.Sprintf("%s of session files, which begin on %s: programs delete old ones (Claude Code after 30 days). They do not have failed calls, fees, and whether a subscription paid.",
		table.Number(s.Calls, "call is", "calls are"), s.First.Format(time.DateOnly))
	if s.Assumed > 0 {
		text += fmt.Sprintf(" The cache writes of %s no lifetime there; five minutes are assumed.", table.Number(s.Assumed, "call have", "calls have"))
	}
	if s.Requested > 0 {
		text += fmt.Sprintf(" The tier of %s is the one that was requested.", table.Number(s.Requested, "call", "calls"))
	}
	if s.WithoutLine > 0 {
		text += " The totals of sessions have more than their lines: calls such as those of compactions, which have a cost and are not counted."
	}
	if s.Notes > 0 {
		text += fmt.Sprintf(" What else they lack is in %s (mesh usage --explain).", table.Number(s.Notes, "note", "notes"))
	}
	return text
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

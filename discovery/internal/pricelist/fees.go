package pricelist

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Fee is a tool's price per use, in addition to tokens.
type Fee struct {
	Scope

	What, Unit string
	// USD is the price per use; nil is unknown.
	USD Price
	// Uncounted reports that every request to these models uses the tool, and that no
	// response counts it.
	Uncounted          bool
	Source, VerifiedAt string
}

func readFee(cells []string) Fee {
	return Fee{
		Scope: newScope(cells[0], cells[4], cells[5], cells[6]), What: cells[1], Unit: cells[2], USD: ParsePrice(cells[3]),
		Uncounted: cells[7] != "", Source: describe(cells[0], cells[8]), VerifiedAt: cells[9],
	}
}

// Use counts a tool's billed uses, at USD each.
type Use struct {
	What     string
	Requests int64
	USD      decimal.Decimal
}

// uses returns the billed tool uses by name, without free ones. If a tool's fee is
// unknown, the error names the tool, and the result lacks it.
func (c *Call) uses(model string) (uses []Use, err error) {
	for i := range c.Terms.Fees {
		if f := &c.Terms.Fees[i]; f.Uncounted && f.Provider == c.Provider && f.match(model) > 0 {
			err = &UnknownError{What: "tool", Name: f.What}
			break
		}
	}
	if len(c.Usage.ToolUses) == 0 { // sorting no names would allocate
		return nil, err
	}
	for _, tool := range slices.Sorted(maps.Keys(c.Usage.ToolUses)) {
		n := c.Usage.ToolUses[tool]
		if n == 0 {
			continue
		}
		fee := c.fee(model, tool)
		switch {
		case fee == nil || fee.USD == nil:
			err = cmp.Or(err, error(&UnknownError{What: "tool", Name: tool}))
			continue
		case fee.USD.IsZero():
			continue
		case fee.Unit == "prompt":
			n = 1
		}
		uses = append(uses, Use{tool, n, *fee.USD})
	}
	return uses, err
}

// fee returns the tool's fee in force with the longest pattern that matches the model;
// nil is unknown. A platform has its own fees.
func (c *Call) fee(model, tool string) (best *Fee) {
	longest, biller := 0, cmp.Or(c.Platform, c.Provider)
	for i := range c.Terms.Fees {
		f := &c.Terms.Fees[i]
		if f.What != tool || f.Provider != biller {
			continue
		}
		inForce, length := f.validAt(c.At), f.match(model)
		if length > longest { // a longer pattern wins even if its fee is not in force
			best, longest = nil, length
		}
		if inForce && length == longest && length > 0 {
			best = f
		}
	}
	return best
}

// whole is a standard request's factor.
var whole = decimal.New(1, 0)

// modeFactor is one mode's factor for some models.
type modeFactor struct {
	Scope

	mode   string
	Factor decimal.Decimal
	// Long and Cached report whether the factor holds for long prompt rows, and for cached
	// input.
	Long, Cached bool
}

func readFactor(cells []string) modeFactor {
	factor, _ := decimal.ParsePlain(cells[2])
	return modeFactor{
		Scope: newScope(cells[0], cells[3], cells[6], cells[7]), mode: cells[1], Factor: factor, Long: cells[4] == "yes", Cached: cells[5] == "yes",
	}
}

func (t *Terms) factorOf(provider, model, mode string, at time.Time) (*modeFactor, bool) {
	for i := range t.factors {
		f := &t.factors[i]
		if f.Provider == provider && f.mode == mode && f.validAt(at) && f.match(model) > 0 {
			return f, true
		}
	}
	return nil, false
}

package sessions

import (
	"math"
	"math/big"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// priceShort prices a difference as short calls if its counts reach a long-prompt tier:
// they may be the sum over many short prompts.
func (r *run) priceShort(s *claudeSession, c *call) {
	record := r.record(c)
	one, err := record.Call()
	if err != nil {
		return
	}
	cost, err := r.prices.CostOf(one)
	if err != nil || cost.TierThresholdTokens == 0 {
		return
	}
	if c.usd = prices.USD(shortCost(r.prices, one)); c.usd != "" {
		r.notes.add("claude-code", s.session, "the calls without a line may have had long prompts: their cost is at least what is counted")
	}
}

// shortCost prices the counts as many short calls.
func shortCost(list *prices.List, one prices.Call) string {
	const parts = 1 << 12
	part, rest := one, one
	for _, n := range [...][2]*int64{
		{&part.Usage.Input, &rest.Usage.Input}, {&part.Usage.CacheRead, &rest.Usage.CacheRead}, {&part.Usage.CacheWrite5m, &rest.Usage.CacheWrite5m},
		{&part.Usage.CacheWrite1h, &rest.Usage.CacheWrite1h}, {&part.Usage.Output, &rest.Usage.Output},
	} {
		*n[0], *n[1] = *n[0]/parts, *n[1]%parts
	}
	part.Usage.ToolUses = nil
	a, b := usdOf(list, part), usdOf(list, rest)
	if a == nil || b == nil {
		return ""
	}
	return decimalText(a.Mul(a, big.NewRat(parts, 1)).Add(a, b))
}

func usdOf(list *prices.List, one prices.Call) *big.Rat {
	cost, err := list.CostOf(one)
	if err != nil {
		return nil
	}
	usd, _ := new(big.Rat).SetString(string(cost.USD))
	return usd
}

func decimalText(x *big.Rat) string {
	const digits = 24
	text := strings.TrimRight(x.FloatString(digits), "0")
	return strings.TrimSuffix(text, ".")
}

// compareCost adds a note if our cost differs from the program's, which knows tiers and
// prices that the lines don't show.
func (r *run) compareCost(s *claudeSession, model string, base *claudeState, rest kinds) {
	if len(r.metered[[2]string{s.session, model}])+len(r.metered[[2]string{"", model}])+len(s.parents) > 0 { // calls files state their costs
		return
	}
	state := s.states[len(s.states)-1]
	stated := state.models[model].usd
	if base != nil {
		stated -= base.models[model].usd
	}
	counted := []*call{{sharedForm: r.differenceForm(s, state.models[model].model), time: state.at(), counts: rest.counts()}}
	for _, more := range s.callsOfStates(base != nil, 0) {
		for _, c := range more {
			if nameOf(c.model) == model {
				counted = append(counted, c)
			}
		}
	}
	ours := new(big.Rat)
	for _, c := range counted {
		one, err := r.record(c).Call()
		if err != nil {
			return
		}
		usd := usdOf(r.prices, one)
		if usd == nil {
			return
		}
		ours.Add(ours, usd)
	}
	const exact = 1e-9
	if got, _ := ours.Float64(); stated > 0 && math.Abs(got-stated) > exact {
		r.notes.add("claude-code", s.session, "%s cost %.6f USD by its total, and %.6f USD by the price list", model, stated, got)
	}
}

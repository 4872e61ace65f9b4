package calls

import (
	"cmp"
	"fmt"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// apart splits a counted record into the main call and its advisors' calls. It returns
// nil if there are no advisors, or if the cost can't be split: the provider stated the
// charge, or a price is unknown.
func (r *Record) apart(list *prices.List) []Record {
	if len(r.Counts.Iterations) == 0 || r.USD == "" || r.Counts.ChargedUSD != "" {
		return nil
	}
	all := []Record{*r}
	all[0].Counts.Iterations = nil
	for _, i := range r.Counts.Iterations {
		if i.Model == "" {
			all[0].Counts.Iterations = append(all[0].Counts.Iterations, i)
			continue
		}
		advisor := r.advisor(&i)
		var err error
		if advisor.USD, err = list.USDOf(advisor.call()); err != nil || advisor.USD.Cmp(all[0].USD) > 0 {
			return nil
		}
		all[0].USD = all[0].USD.Sub(advisor.USD)
		all = append(all, advisor)
	}
	if len(all) == 1 {
		return nil
	}
	all[0].setUsage()
	return all
}

// advisor leaves ID empty, because the response's id stands for the main call.
func (r *Record) advisor(i *prices.Iteration) Record {
	a := *r
	a.ID, a.Model, a.Requested, a.ToolUses, a.UpstreamUSD, a.BYOK = "", i.Model, "", nil, "", false
	a.Counts = prices.Usage(usage.UsageOf[prices.USD](i))
	a.Counts.Mode = r.Counts.Mode
	a.setUsage()
	return a
}

// setUsage replaces the usage object with one that has only this call's counts.
func (r *Record) setUsage() {
	u := &r.Counts
	r.Mode, r.ToolUses = cmp.Or(r.Mode, u.Mode), u.ToolUses
	r.Usage = fmt.Appendf(nil, `{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,`+
		`"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d},"output_tokens":%d}`,
		u.Input, u.CacheRead, u.CacheWrite5m+u.CacheWrite1h, u.CacheWrite5m, u.CacheWrite1h, u.Output)
}

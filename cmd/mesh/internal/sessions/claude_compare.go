package sessions

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

type claudeSession struct {
	*claudeFile
	agents []*claudeFile
	begin  int64
	// digest of the last copied line, 0 if the session isn't a fork
	last uint64
}

// finishClaude compares sessions with their states.
func (r *run) finishClaude() {
	all := r.claudeSessions()
	owners := map[uint64]*claudeSession{}
	for _, s := range all {
		for _, line := range s.uuids {
			if line.time >= s.begin {
				owners[line.digest] = s
			}
		}
	}
	orphans := map[int64][]*claudeSession{}
	for _, s := range all {
		r.noteCompactions(s)
		if len(s.states) == 0 {
			continue
		}
		parent := owners[s.last]
		if s.last != 0 && parent == nil {
			start := s.states[len(s.states)-1].start
			orphans[start] = append(orphans[start], s)
			continue
		}
		r.compareClaude(s, s.base(parent), nil)
	}
	for _, start := range slices.Sorted(maps.Keys(orphans)) {
		r.compareOrphans(orphans[start])
	}
}

// claudeSessions keeps file order.
func (r *run) claudeSessions() (all []*claudeSession) {
	byID := map[string]*claudeSession{}
	files := slices.Sorted(maps.Keys(r.claude))
	for _, index := range files {
		f := r.claude[index]
		switch s := byID[f.session]; {
		case f.agent:
		case s == nil:
			s = &claudeSession{claudeFile: f}
			byID[f.session], all = s, append(all, s)
		case f.lastTotal() > s.lastTotal(): // a copied file
			s.claudeFile = f
		}
	}
	for _, index := range files {
		if f := r.claude[index]; f.agent && byID[f.session] != nil {
			byID[f.session].agents = append(byID[f.session].agents, f)
		}
	}
	r.setBegins(all)
	return all
}

func (s *claudeFile) lastTotal() (sum int64) {
	if len(s.states) == 0 {
		return -1
	}
	for _, m := range s.states[len(s.states)-1].models {
		for _, n := range m.kinds {
			sum += n
		}
	}
	return sum
}

// setBegins: a session begins at its first dated line without a uuid, else at the first
// line that no other session has.
func (r *run) setBegins(all []*claudeSession) {
	var sessions map[uint64]int
	for _, s := range all {
		if s.begin = s.claudeFile.begin; s.begin == 0 {
			if sessions == nil {
				sessions = sessionsOf(all)
			}
			for _, line := range s.uuids {
				if sessions[line.digest] == 1 {
					s.begin = line.time
					break
				}
			}
		}
		for _, line := range s.uuids {
			if line.time < s.begin && line.digest != 0 {
				s.last = line.digest
			}
		}
	}
}

// sessionsOf counts the sessions that have a line.
func sessionsOf(all []*claudeSession) map[uint64]int {
	sessions := map[uint64]int{}
	for _, s := range all {
		seen := map[uint64]bool{}
		for _, line := range s.uuids {
			if !seen[line.digest] {
				seen[line.digest] = true
				sessions[line.digest]++
			}
		}
	}
	return sessions
}

// base returns the parent's state at the fork, or nil.
func (s *claudeSession) base(parent *claudeSession) (base *claudeState) {
	if parent == nil || parent == s {
		return nil
	}
	start := s.states[len(s.states)-1].start
	for _, state := range parent.states {
		if state.time <= s.begin && state.start == start {
			base = state
		}
	}
	return base
}

// Orphans all include their parent's calls, which may count once only.
func (r *run) compareOrphans(forks []*claudeSession) {
	largest := forks[0]
	for _, s := range forks[1:] {
		if s.lastTotal() > largest.lastTotal() {
			largest = s
		}
	}
	copies := map[*call]bool{}
	for _, s := range forks {
		for _, line := range s.lines {
			if line.place.time < s.begin {
				copies[line.call] = true
			}
		}
	}
	r.notes.add("claude-code", largest.session, "the session that it was forked from is gone: its cost is at least what is counted")
	r.compareClaude(largest, nil, copies)
}

// compareClaude adds a session's records. base is the parent's state at the fork; copies
// are calls whose parent is gone.
func (r *run) compareClaude(s *claudeSession, base *claudeState, copies map[*call]bool) {
	for _, model := range s.models() {
		rest := r.differences(s, model, base, copies, 0)
		if rest[len(rest)-1].negative() { // some calls are older than the program's counters
			rest = r.differences(s, model, base, copies, s.states[len(s.states)-1].start*int64(time.Millisecond))
		}
		last := rest[len(rest)-1]
		if last.negative() {
			r.notes.add("claude-code", s.session, fmt.Sprintf("the total of %s is less than its lines have (%s); nothing is added", model, last.text()))
			continue
		}
		r.addDifferences(s, model, rest)
		r.compareCost(s, model, base, last)
	}
}

func (s *claudeSession) models() []string {
	names := map[string]bool{}
	for _, state := range s.states {
		for name := range state.models {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// differences subtracts from each state the lines that belong to it. Lines before start
// belong to none.
func (r *run) differences(s *claudeSession, model string, base *claudeState, copies map[*call]bool, start int64) []kinds {
	rest := make([]kinds, len(s.states))
	var lines, copied kinds
	for c := range copies {
		if nameOf(c.model) == model {
			copied.add(c.counts.kinds(), 1)
		}
	}
	ofStates := s.callsOfStates(base != nil, start)
	for i, state := range s.states {
		for _, c := range ofStates[i] {
			if nameOf(c.model) == model && !copies[c] {
				lines.add(c.counts.kinds(), 1)
			}
		}
		rest[i] = state.models[model].kinds
		if base != nil {
			rest[i].add(base.models[model].kinds, -1)
		}
		rest[i].add(lines, -1)
		rest[i].add(copied, -1)
		r.lessMetered(s, state, model, &rest[i])
	}
	for i := len(rest) - 2; i >= 0; i-- {
		for k := range rest[i] {
			rest[i][k] = min(rest[i][k], rest[i+1][k])
		}
	}
	return rest
}

// callsOfStates assigns each call to one state: in the session's file to the next one
// below it, in agents' files to the first that isn't followed by an earlier dated line.
func (s *claudeSession) callsOfStates(based bool, start int64) [][]*call {
	of := make([][]*call, len(s.states))
	seen := map[*call]bool{}
	add := func(state int, line *callLine) {
		if state < len(of) && line.place.time >= start && !seen[line.call] {
			seen[line.call] = true
			of[state] = append(of[state], line.call)
		}
	}
	for i := range s.lines {
		if line := &s.lines[i]; !based || line.place.time >= s.begin {
			add(sort.Search(len(of), func(k int) bool { return line.place.number < s.states[k].number }), line)
		}
	}
	for _, agent := range s.agents {
		for i := range agent.lines {
			line := &agent.lines[i]
			add(sort.Search(len(of), func(k int) bool { next := s.states[k].next; return next == 0 || line.place.time < next }), line)
		}
	}
	return of
}

// text omits zeros.
func (k *kinds) text() string {
	var parts []string
	for i, n := range k {
		if n != 0 {
			parts = append(parts, fmt.Sprintf("%s %d", kindNames[i], n))
		}
	}
	return strings.Join(parts, ", ")
}

// addDifferences adds a record for each state's increase.
func (r *run) addDifferences(s *claudeSession, model string, rest []kinds) {
	var before kinds
	for i, state := range s.states {
		var more kinds
		for k, n := range rest[i] {
			more[k] = max(0, n-before[k])
			before[k] += more[k]
		}
		if more == (kinds{}) {
			continue
		}
		if r.isMetered(s, model, &more) {
			r.notes.add("claude-code", s.session, fmt.Sprintf("what %s has in addition to the lines (%s) may be metered, too; nothing is added", model, more.text()))
			continue
		}
		one := &call{sharedForm: r.differenceForm(s, state.models[model].model), time: state.time, counts: more.counts(), file: s.index, number: state.number}
		r.priceShort(s, one)
		r.add(one, 0)
	}
}

// differenceForm copies the form from the session's calls, if possible with the same
// model.
func (r *run) differenceForm(s *claudeSession, model string) *sharedForm {
	of := form{program: "claude-code", provider: "anthropic", session: s.session, names: &anthropicNames}
	for _, line := range s.lines {
		if c := line.call; of.model == "" {
			of.provider, of.platform, of.api, of.project = c.provider, c.platform, c.api, cmp.Or(of.project, c.project)
			if nameOf(c.model) == nameOf(model) {
				of.model = c.model
			}
		}
	}
	if p, known := models.ProviderOf(model); known && of.model == "" {
		of.provider, of.api = string(p), "anthropic"
	}
	of.model, of.kind, of.split, of.extra = model, difference, true, ""
	return r.form(of)
}

// priceShort sets the cost if the counts exceed a price tier, although the calls may have
// had short prompts.
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
	part.Usage.Requests = nil
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

// decimalText is a plain decimal.
func decimalText(x *big.Rat) string {
	const digits = 24
	text := strings.TrimRight(x.FloatString(digits), "0")
	return strings.TrimSuffix(text, ".")
}

// compareCost notes a cost that differs from the stated one: the program knows tiers and
// prices that the lines don't show.
func (r *run) compareCost(s *claudeSession, model string, base *claudeState, rest kinds) {
	if len(r.metered[[2]string{s.session, model}])+len(r.metered[[2]string{"", model}]) > 0 { // calls files state their costs
		return
	}
	state := s.states[len(s.states)-1]
	stated := state.models[model].usd
	if base != nil {
		stated -= base.models[model].usd
	}
	counted := []*call{{sharedForm: r.differenceForm(s, state.models[model].model), time: state.time, counts: rest.counts()}}
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
		r.notes.add("claude-code", s.session, fmt.Sprintf("%s cost %.6f USD by its total, and %.6f USD by the price list", model, stated, got))
	}
}

// noteCompactions notes compactions that no state includes.
func (r *run) noteCompactions(s *claudeSession) {
	after := int32(0)
	if n := len(s.states); n > 0 {
		after = s.states[n-1].number
	}
	n := 0
	for _, c := range s.compactions {
		if c.number > after && c.time >= s.begin {
			n++
		}
	}
	if n > 0 {
		r.notes.add("claude-code", s.session, "the cost of "+table.Number(n, "compaction", "compactions")+" is unknown")
	}
}

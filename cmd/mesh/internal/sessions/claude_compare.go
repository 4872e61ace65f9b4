package sessions

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

type claudeSession struct {
	*claudeFile
	agents []*claudeFile
	begin  int64
	// digest of the last copied line, 0 if the session isn't a fork
	last uint64
	// parents are missing sessions whose calls were metered.
	parents map[string]bool
}

// finishClaude compares each session's calls with the totals in its cost-state lines.
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

// claudeSessions groups files into sessions, in file order. If several files have the
// same session, it uses the one with the largest total.
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

// setBegins finds where each session begins: at its first dated line without a uuid or,
// if all dated lines have a uuid, at the first line that isn't in any other session.
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

// sessionsOf returns line digest -> number of sessions with that line.
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

// base returns the parent's last state before the fork, or nil.
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

// compareOrphans compares forks whose parent is missing. Their totals all include the
// parent's calls, which may count only once, so it uses only the largest total.
func (r *run) compareOrphans(forks []*claudeSession) {
	largest := forks[0]
	for _, s := range forks[1:] {
		if s.lastTotal() > largest.lastTotal() {
			largest = s
		}
	}
	copies, parents := map[*call]bool{}, map[string]bool{}
	for _, s := range forks {
		for _, line := range s.lines {
			if line.place.time < s.begin {
				copies[line.call] = true
				if parent := r.elsewhere[line.call]; parent != "" {
					parents[parent] = true
				}
			}
		}
	}
	r.notes.add("claude-code", largest.session, "the session that it was forked from is gone: its cost is at least what is counted")
	largest.parents = parents
	r.compareClaude(largest, nil, copies)
}

// compareClaude adds records for usage that is in the session's totals but not in its
// lines. base is the parent's state at the fork, or nil. copies are calls copied from a
// missing parent.
func (r *run) compareClaude(s *claudeSession, base *claudeState, copies map[*call]bool) {
	for _, model := range s.models() {
		rest := r.differences(s, model, base, copies, 0)
		if rest[len(rest)-1].negative() { // some calls are older than the program's counters
			rest = r.differences(s, model, base, copies, s.states[len(s.states)-1].start*int64(time.Millisecond))
		}
		last := rest[len(rest)-1]
		if last.negative() {
			r.notes.add("claude-code", s.session, "the total of %s is less than its lines have (%s); nothing is added", model, last.text())
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

// differences returns how far each state's total exceeds the lines up to it. Lines before
// start are ignored.
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

// callsOfStates assigns each call to the first state that includes it. In the session's
// own file, that's the next state below the call's line. In agents' files, it's the first
// state whose next dated line is later than the call.
func (s *claudeSession) callsOfStates(based bool, start int64) [][]*call {
	of := make([][]*call, len(s.states))
	seen := map[*call]bool{}
	add := func(state int, line callLine) {
		if state < len(of) && line.place.time >= start && !seen[line.call] {
			seen[line.call] = true
			of[state] = append(of[state], line.call)
		}
	}
	for _, line := range s.lines {
		if !based || line.place.time >= s.begin {
			add(sort.Search(len(of), func(k int) bool { return line.place.number < s.states[k].number }), line)
		}
	}
	for _, agent := range s.agents {
		for _, line := range agent.lines {
			add(sort.Search(len(of), func(k int) bool { next := s.states[k].next; return next == 0 || line.place.time < next }), line)
		}
	}
	return of
}

// text omits zeros.
func (k kinds) text() string {
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
			r.notes.add("claude-code", s.session, "what %s has in addition to the lines (%s) may be metered, too; nothing is added", model, more.text())
			continue
		}
		one := &call{sharedForm: r.differenceForm(s, state.models[model].model), time: state.at(), counts: more.counts(), file: s.index, number: state.number}
		r.priceShort(s, one)
		r.add(one, 0)
	}
}

// differenceForm takes the provider and platform from the session's first call to this
// model. If there's no such call, it takes them from the last call, but a known model
// decides the provider.
func (r *run) differenceForm(s *claudeSession, model string) *sharedForm {
	of := form{program: "claude-code", provider: "anthropic", session: s.session}
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
	for _, agent := range s.agents {
		if len(s.states) == 0 {
			n += len(agent.compactions)
		}
	}
	if n > 0 {
		r.notes.add("claude-code", s.session, "the cost of %s is unknown", table.Number(n, "compaction", "compactions"))
	}
}

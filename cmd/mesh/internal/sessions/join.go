package sessions

import (
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// metered is a call that is in a calls file but not in a session.
type metered struct {
	time  int64
	kinds kinds
}

// session ("" if unknown), model -> calls
type meteredOf map[[2]string][]metered

const (
	sameCall    = int64(24 * time.Hour)
	mostMetered = 200_000
)

// Join is a hook for calls.Options.Join. If a call is also in a session, it counts once
// and gets both sets of labels.
func (r *Reader) Join(file string, one *calls.Record) {
	if r.run == nil {
		return
	}
	c := r.run.index[digest("", one.ID)]
	if c == nil || one.ID == "" || c.time-one.Time.UnixNano() >= sameCall || one.Time.UnixNano()-c.time >= sameCall {
		r.run.keepMetered(one)
		return
	}
	if c.left {
		return
	}
	c.left = true
	if session := one.Labels["session"]; session != c.session {
		r.run.elsewhere[c] = short(session)
	}
	r.run.copyOf(c.id, r.run.files[c.file], file, r.run.differs(c, one))
	labels := maps.Clone(c.labels)
	for name, value := range one.Labels {
		if value != "" {
			labels[name] = value
		}
	}
	one.Labels = labels
}

// differs reports whether a calls file has other counts than a session.
func (r *run) differs(c *call, metered *calls.Record) bool {
	ours := r.record(c)
	one, err := ours.Call()
	return err == nil && metered.HasCounts && kindsOf(&one.Usage) != kindsOf(&metered.Counts)
}

func kindsOf(u *prices.Usage) kinds {
	return kinds{u.Input, u.Output, u.CacheRead, u.CacheWrite5m, u.CacheWrite1h, u.ToolUses["web_search"]}
}

func (r *run) keepMetered(one *calls.Record) {
	if !r.inStates(nameOf(one.Model)) || r.mostMetered() {
		return
	}
	call, err := one.Call()
	if err != nil {
		return
	}
	key := [2]string{short(one.Labels["session"]), nameOf(one.Model)}
	r.metered[key] = append(r.metered[key], metered{one.Time.UnixNano(), kindsOf(&call.Usage)})
}

// inStates reports whether a cost-state has the model.
func (r *run) inStates(model string) bool {
	if r.stated == nil {
		r.stated = map[string]bool{}
		for _, s := range r.claude {
			for _, state := range s.states {
				for name := range state.models {
					r.stated[name] = true
				}
			}
		}
	}
	return r.stated[model]
}

func (r *run) mostMetered() bool {
	r.meteredCalls++
	return r.meteredCalls > mostMetered
}

func (m meteredOf) sort() {
	for _, all := range m {
		slices.SortFunc(all, func(a, b metered) int { return int(min(1, max(-1, a.time-b.time))) })
	}
}

// lessMetered subtracts this session's metered calls up to the state, and its missing
// parents' before the fork: its total includes them, but its lines don't.
func (r *run) lessMetered(s *claudeSession, state *claudeState, model string, rest *kinds) {
	for _, m := range r.metered[[2]string{s.session, model}] {
		if state.next == 0 || m.time < state.next {
			rest.add(m.kinds, -1)
		}
	}
	for parent := range s.parents {
		for _, m := range r.metered[[2]string{parent, model}] {
			if m.time < s.begin {
				rest.add(m.kinds, -1)
			}
		}
	}
}

// isMetered reports whether a difference may include a metered call without a session
// label.
func (r *run) isMetered(s *claudeSession, model string, more *kinds) bool {
	all := r.metered[[2]string{"", model}]
	end := s.states[len(s.states)-1].time
	for i := sort.Search(len(all), func(i int) bool { return all[i].time >= s.begin }); i < len(all) && all[i].time <= end; i++ {
		rest := *more
		if rest.add(all[i].kinds, -1); !rest.negative() {
			return true
		}
	}
	return false
}

// as in package calls
const (
	mostIDs   = 3
	longestID = 100
)

func (f *file) copy(c *call, differs bool) { f.copyOf(c.id, f.path, f.files[c.file], differs) }

func (r *run) copyOf(id, file, of string, differs bool) {
	key := [2]string{file, of}
	found := r.copied[key]
	if found == nil {
		found = &calls.Copies{File: file, Of: of, IDs: []string{}}
		r.copied[key], r.copiedOrder = found, append(r.copiedOrder, found)
	}
	if found.Calls++; id != "" && len(found.IDs) < mostIDs {
		found.IDs = append(found.IDs, argument.Redact(id[:min(len(id), longestID)]))
	}
	if differs {
		found.Differ++
	}
}

func (r *run) reportCopies() {
	for _, c := range r.copiedOrder {
		if r.OnCopies != nil {
			r.OnCopies(*c)
		}
	}
}

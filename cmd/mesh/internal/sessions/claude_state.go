package sessions

import (
	"cmp"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

type claudeFile struct {
	index   int32
	agent   bool
	session string
	// begin is the first dated line without a uuid: such lines are never copied.
	begin, latest int64
	uuids         []uuidLine
	lines         []callLine
	states        []*claudeState
	compactions   []place
	// states still waiting for the next dated line
	waits []*claudeState
}

type place struct {
	number int32
	time   int64
}

type uuidLine struct {
	digest uint64
	time   int64
}

type callLine struct {
	place
	*call
}

// claudeState is a cost-state line: the program's totals for the session and its agents.
// In a fork they include the parent's.
type claudeState struct {
	place
	next   int64 // time of the next dated line; 0 at the end
	start  int64 // Unix milliseconds
	models map[string]modelState
}

// at returns the time before the state, after it, or at the session's start. A state
// has no time itself.
func (s *claudeState) at() int64 { return cmp.Or(s.time, s.next, s.start*int64(time.Millisecond)) }

type modelState struct {
	model string
	kinds kinds
	usd   float64
}

// kinds are counts that don't overlap: each token or search is in exactly one.
type kinds [6]int64

var kindNames = [...]string{"input", "output", "cache reads", "cache writes", "cache writes for an hour", "web searches"}

func (c counts) kinds() kinds {
	return kinds{c[input], c[output], c[reads], c[writes] - c[writes1h], c[writes1h], c[searches]}
}

func (k kinds) counts() counts {
	return counts{input: k[0], output: k[1], reads: k[2], writes: k[3] + k[4], writes5m: k[3], writes1h: k[4], searches: k[5]}
}

func (k *kinds) add(more kinds, times int64) {
	for i, n := range more {
		k[i] += times * n
	}
}

func (k kinds) negative() bool {
	for _, n := range k {
		if n < 0 {
			return true
		}
	}
	return false
}

// takeLine remembers dates and uuids, which show where the session begins and which
// session it was forked from.
func (s *claudeFile) takeLine(f *file, at int64) {
	if at == 0 {
		return
	}
	s.latest = max(s.latest, at)
	for _, state := range s.waits {
		state.next = at
	}
	s.waits = s.waits[:0]
	switch {
	case s.agent:
	case f.line.uuid == nil:
		if s.begin == 0 {
			s.begin = at
		}
	default:
		s.uuids = append(s.uuids, uuidLine{digestOf(f.line.uuid), at})
		f.bytes += 20
	}
}

func digestOf(text []byte) uint64 { return digest("uuid", string(text)) }

// addLine skips a line that repeats the previous line's call.
func (s *claudeFile) addLine(f *file, c *call, at int64) {
	if n := len(s.lines); n > 0 && s.lines[n-1].call == c {
		return
	}
	s.lines = append(s.lines, callLine{place{f.number, at}, c})
	f.bytes += 40
}

// claudeState reads one modelUsage entry.
func (f *file) claudeState(key []byte) {
	var n counts
	var usd float64
	model := string(key)
	f.object(fields{
		"inputTokens": &n[input], "outputTokens": &n[output], "cacheReadInputTokens": &n[reads], "cacheCreationInputTokens": &n[writes],
		"cacheCreationEphemeral1hInputTokens": &n[writes1h], "webSearchRequests": &n[searches],
		"costUSD": &usd,
	})
	n[writes] = max(n[writes], n[writes1h])
	f.addTotal(model, n, usd)
}

// nameOf returns the same name for a model's dated names and aliases.
func nameOf(model string) string {
	model, _, _ = strings.Cut(model, "[") // context window size, as in claude-opus-5-5[1m]
	return models.NormalizeModelID(models.Anthropic, model)
}

func (s *claudeFile) addState(f *file) {
	state := &claudeState{place: place{f.number, s.latest}, start: f.line.start, models: map[string]modelState{}}
	for _, m := range f.line.states {
		sum := state.models[nameOf(m.model)]
		sum.model = m.model
		sum.kinds.add(m.kinds, 1)
		sum.usd += m.usd
		state.models[nameOf(m.model)] = sum
		f.bytes += len(m.model)
	}
	s.states, s.waits = append(s.states, state), append(s.waits, state)
	f.bytes += 200 * (1 + len(state.models))
}

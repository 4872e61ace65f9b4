package sessions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

type record = calls.Record

// counts holds token counts, indexed like the program's names: openAINames for Codex,
// geminiNames for Gemini CLI, anthropicNames for all others.
type counts [7]int64

func (c *counts) sum() (sum int64) {
	for _, n := range c {
		sum += n
	}
	return sum
}

func (c *counts) add(more counts) {
	for i, n := range more {
		c[i] += n
	}
}

func (c counts) less(o counts) counts {
	for i, n := range o {
		c[i] -= n
	}
	return c
}

// form has the values that calls usually share. Each distinct form is kept once; see
// store.form.
type form struct {
	program, provider, platform, api, model, project, session string

	extra string // other members of the usage object, each after a comma
	tier  string // as requested
	split bool   // cache write lifetimes are stated
	kind  string // unless it's a call: sessionTotal or difference
}

type sharedForm struct {
	form
	labels map[string]string
}

// call is kept small: a run can hold hundreds of thousands.
type call struct {
	*sharedForm
	id           string
	request      uint64 // digest of its request id, or 0
	time         int64  // Unix nanoseconds, or 0
	counts       counts
	file, number int32
	seen         int32 // the file that had it last
	left         bool  // counted elsewhere, as in a calls file
	usd          prices.USD
}

// store keeps calls. index finds a call by its id's digest.
type store struct {
	calls []*call
	index map[uint64]*call
	forms map[form]*sharedForm
	bytes int
}

func newStore() store { return store{index: map[uint64]*call{}, forms: map[form]*sharedForm{}} }

var seed = maphash.MakeSeed()

// digest returns 0 if id is empty. Provider ids are unique, others only within a program.
func digest(scope, id string) uint64 {
	if id == "" {
		return 0
	}
	return max(1, maphash.Comparable(seed, [2]string{scope, id}))
}

const callBytes = 220 // with its map entry

func (s *store) add(c *call, key uint64) *call {
	s.calls = append(s.calls, c)
	if s.bytes += callBytes + len(c.id); key != 0 {
		s.index[key] = c
	}
	return c
}

func (s *store) form(of form) *sharedForm {
	f := s.forms[of]
	if f != nil {
		return f
	}
	f = &sharedForm{of, map[string]string{"program": of.program, "project": of.project, "session": of.session}}
	switch {
	case of.kind == sessionTotal:
		f.labels["record"] = sessionTotal
	case of.tier != "":
		f.labels["tier"] = "requested"
	}
	s.forms[of] = f
	s.bytes += 2*(400+len(of.model)+len(of.extra)) + len(of.project) + len(of.session)
	return f
}

// Values for form.kind, for records that don't stand for one call.
const (
	sessionTotal = "session total"
	difference   = "difference"
)

// longestText is in bytes.
const longestText = 1 << 10

// textOf decodes a JSON string, or returns "" if it's nil or too long.
func textOf(value []byte) (text string) {
	if len(value) < 2 || len(value) > longestText {
		return ""
	}
	if plain := value[1 : len(value)-1]; bytes.IndexByte(plain, '\\') < 0 {
		return strings.ToValidUTF8(string(plain), "\ufffd")
	}
	_ = json.Unmarshal(value, &text)
	return text
}

// projectOf also splits Windows paths.
func projectOf(cwd string) string { return cwd[strings.LastIndexAny(cwd, `/\`)+1:] }

// providerOf returns "unknown" for names that other packages refuse.
func providerOf(name string) string {
	if p, err := models.ParseProvider(name); err == nil {
		return string(p)
	}
	const longest = 64
	if name == "" || len(name) > longest || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
		return "unknown"
	}
	return name
}

func (f *file) addNew(of *sharedForm, id string, key uint64, at int64, n counts) *call {
	return f.add(&call{sharedForm: of, id: id, time: at, counts: n, file: f.index, number: f.number, seen: f.index}, key)
}

// JSON names for counts in each provider's usage object.
var (
	openAINames    = []string{"input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens"}
	geminiNames    = []string{"promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "toolUsePromptTokenCount"}
	anthropicNames = []string{"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"}
)

// Indexes into counts. The first four match anthropicNames.
const (
	input = iota
	output
	reads
	writes // whatever lifetime
	writes5m
	writes1h
	searches
)

func (r *run) record(c *call) calls.Record {
	one := calls.Record{
		ID: c.id, Provider: models.Provider(c.provider), Platform: c.platform, API: c.api, Model: c.model, Session: true,
		Time: time.Unix(0, c.time).UTC(), Usage: c.usage(), Mode: c.tier, USD: c.usd,
		Labels: c.labels, WithoutLine: c.kind == difference,
	}
	if c.model == "" {
		one.Unpriced = "the session file does not state the model"
	}
	return one
}

func (c *call) usage() []byte {
	names := anthropicNames
	switch c.program {
	case "codex":
		names = openAINames
	case "gemini-cli":
		names = geminiNames
	}
	text := c.counts.object(names, c.split)
	if n := c.counts[searches]; n > 0 {
		text = fmt.Appendf(text, `,"server_tool_use":{"web_search_requests":%d}`, n)
	}
	return append(append(text, c.extra...), '}')
}

// object returns a JSON object without its end. fmt would allocate for each count.
func (c *counts) object(names []string, lifetimes bool) []byte {
	text := []byte{'{'}
	for i, name := range names {
		text = append(strconv.AppendQuote(text, name), ':')
		text = append(strconv.AppendInt(text, c[i], 10), ',')
	}
	text = text[:len(text)-1]
	if lifetimes {
		text = strconv.AppendInt(append(text, `,"cache_creation":{"ephemeral_5m_input_tokens":`...), c[writes5m], 10)
		text = strconv.AppendInt(append(text, `,"ephemeral_1h_input_tokens":`...), c[writes1h], 10)
		text = append(text, '}')
	}
	return text
}

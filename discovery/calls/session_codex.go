package calls

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// codexFile is a file of Codex. All versions write a token_count with the totals of the session after a response; newer ones also write a
// token_usage_record with the id of the response. A fork, and some sub-agents, begin with the token_counts of their parent at new times.
type codexFile struct {
	*session
	line                     codexLine
	id, cwd, provider, model string
	repeated                 bool // another file of the session was read
	records                  bool // the file has records: its token_counts are no calls
	total                    codexTokens

	// parent has the totals of the session that was forked, without those that were copied. forked is set after the first copy.
	parent []codexTokens
	forked bool
}

// codexLine is a line. Its type is kind, and that of its payload event.
type codexLine struct {
	kind, time, event, id, cwd, provider, model, parent, response string
	used, last, total                                             codexTokens
}

// codexTokens are counts. The input includes what was read from caches and written to them.
type codexTokens struct{ input, cached, written, output int64 }

func (t *codexTokens) fields() sessionFields {
	return sessionFields{"input_tokens": &t.input, "cached_input_tokens": &t.cached, "cache_write_input_tokens": &t.written, "output_tokens": &t.output}
}

func codexLines(s *session) func() {
	c := &codexFile{session: s}
	l := &c.line
	fields := sessionFields{"type": &l.kind, "timestamp": &l.time, "payload": sessionFields{
		"type": &l.event, "id": &l.id, "cwd": &l.cwd, "model_provider": &l.provider, "model": &l.model, "response_id": &l.response,
		"forked_from_id": &l.parent,
		"source":         sessionFields{"subagent": sessionFields{"thread_spawn": sessionFields{"parent_thread_id": &l.parent}}},
		"usage":          l.used.fields(),
		"info":           sessionFields{"last_token_usage": l.last.fields(), "total_token_usage": l.total.fields()},
	}}
	return func() {
		*l = codexLine{}
		s.object(fields)
		if s.wrong == nil && !c.repeated {
			c.read()
		}
	}
}

func (c *codexFile) read() {
	switch l := &c.line; l.kind {
	case "session_meta":
		c.begin()
	case "turn_context":
		c.model = l.model
	case "token_usage_record":
		if !c.records {
			c.records, c.open = true, nil
		}
		c.call(l.response, l.used)
	case "event_msg":
		if l.event == "token_count" && l.total != c.total {
			c.count()
		}
	}
}

// begin reads the head of the file, or in a fork that of the parent.
func (c *codexFile) begin() {
	switch id := c.line.id; {
	case c.id == "":
		c.id, c.cwd, c.provider = id, c.line.cwd, c.line.provider
		c.parent = c.codex[c.line.parent]
		if _, c.repeated = c.codex[id]; !c.repeated {
			c.codex[id] = nil
		}
	case c.parent == nil && id != c.id:
		c.parent = c.codex[id]
	}
}

// count reads a token_count with a new total.
func (c *codexFile) count() {
	used, total, before := c.line.last, c.line.total, c.total
	if total.input < before.input || total.output < before.output { // it begins again
		before = codexTokens{}
	}
	if used == (codexTokens{}) {
		used = codexTokens{total.input - before.input, total.cached - before.cached, total.written - before.written, total.output - before.output}
	}
	c.total = total
	c.codex[c.id] = append(c.codex[c.id], total)
	if !c.copied() && !c.records {
		c.call("", used)
	}
}

// copied reports whether the total is the next one of the parent. The first copy may be any of its totals.
func (c *codexFile) copied() bool {
	i := slices.Index(c.parent, c.total)
	if i < 0 || c.forked && i > 0 {
		c.parent = nil
		return false
	}
	c.parent, c.forked = c.parent[i+1:], true
	return true
}

func (c *codexFile) call(id string, t codexTokens) {
	if t == (codexTokens{}) {
		return
	}
	c.add(Record{
		ID: id, Provider: models.Provider(cmp.Or(c.provider, "openai")), Model: c.model, API: "openai", Labels: c.labelsOf(c.cwd, c.id),
		Usage: fmt.Appendf(nil, `{"input_tokens":%d,"cached_input_tokens":%d,"cache_write_input_tokens":%d,"output_tokens":%d}`, t.input, t.cached, t.written, t.output),
	}, c.line.time, false)
}

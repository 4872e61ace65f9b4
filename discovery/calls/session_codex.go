package calls

import (
	"bytes"
	"slices"
)

// codexFile is a file of Codex. All versions write a token_count with the totals of the session after a response; newer ones also write a
// token_usage_record with the id of the response. A fork, and some sub-agents, begin with the token_counts of their parent at new times.
type codexFile struct {
	*session
	id       string
	model    []byte
	repeated bool // another file of the session was read
	records  bool // the file has records: its token_counts are no calls
	total    sessionCounts

	// parent has the totals of the session that was forked, without those that were copied. forked is set after the first copy.
	parent []sessionCounts
	forked bool
}

// codexCounts are the names of counts. The input includes what was read from caches and written to them.
var codexCounts = []string{"input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens"}

func beginCodex(s *session) {
	c := &codexFile{session: s}
	l := &s.line
	s.provider, s.api, s.take = []byte(`"openai"`), []byte(`"openai"`), c.takeLine
	s.setLabels(nil, nil)
	s.fields = sessionFields{"type": &l.kind, "timestamp": &l.time, "payload": sessionFields{
		"type": &l.event, "id": &l.session, "cwd": &l.cwd, "model_provider": &l.provider, "model": &l.model, "response_id": &l.id,
		"forked_from_id": &l.parent,
		"source":         sessionFields{"subagent": sessionFields{"thread_spawn": sessionFields{"parent_thread_id": &l.parent}}},
		"usage":          l.counts.fields(codexCounts...),
		"info":           sessionFields{"last_token_usage": l.last.fields(codexCounts...), "total_token_usage": l.total.fields(codexCounts...)},
	}}
}

func (c *codexFile) takeLine() {
	l := &c.line
	switch kind := string(l.kind); {
	case c.repeated:
	case kind == `"session_meta"`:
		c.begin()
	case kind == `"turn_context"`:
		c.model = bytes.Clone(l.model)
	case kind == `"token_usage_record"`:
		if !c.records {
			c.records, c.open = true, nil
		}
		c.call()
	case kind == `"event_msg"` && string(l.event) == `"token_count"`:
		c.count()
	}
}

// begin reads the head of the file, or in a fork that of the parent.
func (c *codexFile) begin() {
	l := &c.line
	switch id := string(l.session); {
	case c.id == "":
		c.id = id
		c.setLabels(l.cwd, l.session)
		if l.provider != nil {
			c.setProvider(l.provider)
		}
		c.parent = c.codex[string(l.parent)]
		if _, c.repeated = c.codex[id]; !c.repeated {
			c.codex[id] = nil
		}
	case c.parent == nil && id != c.id:
		c.parent = c.codex[id]
	}
}

// count reads a token_count. One whose total has not changed is no call, nor is one without counts.
func (c *codexFile) count() {
	l, before, none := &c.line, c.total, sessionCounts{}
	if l.counts = l.last; l.total != none {
		if l.total == before {
			return
		}
		c.total = l.total
		c.codex[c.id] = append(c.codex[c.id], l.total)
		if c.copied() {
			return
		}
		if l.counts == none {
			l.counts = l.total.since(before)
		}
	}
	if !c.records {
		l.id = nil
		c.call()
	}
}

// since returns what was added to before. Totals of which one fell begin again.
func (c sessionCounts) since(before sessionCounts) sessionCounts {
	added := c
	for i, n := range before {
		if added[i] -= n; added[i] < 0 {
			return c
		}
	}
	return added
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

func (c *codexFile) call() {
	c.line.model = c.model
	c.addCounts(codexCounts...)
}

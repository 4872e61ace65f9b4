package sessions

import (
	"cmp"
	"slices"
	"strings"
)

// codexFile is a file with a thread or part of one. After each response, Codex writes a
// token_count with the thread's totals; newer versions also write a token_usage_record
// with the response's id. Forks and some sub-agents start with copies of their parent's
// token_counts, at new times.
type codexFile struct {
	path          string
	index         int32
	id, project   string
	provider      string
	parents       []string
	begin         int64
	archived      int // 0 for the original
	events        []codexEvent
	model, tier   string
	total         counts
	depth, family int
}

// codexEvent is a token_count or a token_usage_record.
type codexEvent struct {
	place
	form        *sharedForm
	record      *call // nil for a count
	usage       counts
	total, last counts // as a count states them
	copied      bool
	paired      bool // next to a record or count of the same call
}

func beginCodex(f *file) {
	c := &codexFile{path: f.path, index: f.index, provider: "openai", archived: strings.Count(f.path, "archived_sessions")}
	f.codex = append(f.codex, c)
	generation := f.generation
	l := &f.line
	f.fields = fields{"type": &l.kind, "timestamp": &l.time, "payload": fields{
		"type": &l.event, "id": &l.session, "cwd": &l.cwd, "model_provider": &l.provider, "model": &l.model, "response_id": &l.id,
		"forked_from_id": &l.parent, "parent_thread_id": &l.thread, "history_base": fields{"thread_id": &l.base},
		"source":             fields{"subagent": fields{"thread_spawn": fields{"parent_thread_id": &l.thread}}},
		"usage":              l.counts.fields(openAINames...),
		"thread_token_usage": l.total.fields(openAINames...),
		"thread_settings":    fields{"model": &l.model, "model_provider_id": &l.provider, "service_tier": &l.tier},
		"info":               fields{"last_token_usage": l.last.fields(openAINames...), "total_token_usage": l.total.fields(openAINames...)},
	}}
	f.take = func() {
		if f.generation != generation { // split has yielded what was read before
			generation, c.events = f.generation, nil
			f.codex = append(f.codex, c)
		}
		switch kind, event := f.repeated(l.kind), f.repeated(l.event); {
		case kind == "session_meta":
			c.head(f)
		case kind == "turn_context":
			c.model = cmp.Or(f.repeated(l.model), c.model)
		case kind == "event_msg" && event == "thread_settings_applied":
			c.settings(f)
		case kind == "token_usage_record":
			c.record(f)
		case kind == "event_msg" && event == "token_count":
			c.count(f)
		}
	}
}

const mostParents = 100

// head reads a session_meta line. The first one is the file's own. A fork's file can have
// more, which name its parents.
func (c *codexFile) head(f *file) {
	l := &f.line
	id := textOf(l.session)
	if c.id != "" {
		if id != c.id && !slices.Contains(c.parents, id) && len(c.parents) < mostParents {
			c.parents = append(c.parents, id)
			f.bytes += len(id)
		}
		return
	}
	c.id, c.project = id, projectOf(f.repeated(l.cwd))
	c.begin = f.at()
	if l.provider != nil {
		c.provider = providerOf(f.repeated(l.provider))
	}
	for _, parent := range [...][]byte{l.parent, l.thread, l.base} {
		if id := textOf(parent); id != "" {
			c.parents = append(c.parents, id)
		}
	}
}

// settings changes the model, provider and tier for later calls. A line without a tier
// resets the tier.
func (c *codexFile) settings(f *file) {
	l := &f.line
	c.model = cmp.Or(f.repeated(l.model), c.model)
	if l.provider != nil {
		c.provider = providerOf(f.repeated(l.provider))
	}
	switch c.tier = strings.ToLower(f.repeated(l.tier)); c.tier {
	case "fast":
		c.tier = "priority"
	case "default", "auto", "standard":
		c.tier = ""
	}
}

func (c *codexFile) form(f *file) *sharedForm {
	return f.form(form{program: "codex", provider: c.provider, api: "openai", model: c.model, project: c.project, session: c.id, tier: c.tier})
}

// record reads a token_usage_record, unless another line had the same response id.
func (c *codexFile) record(f *file) {
	l := &f.line
	at, ok := f.dated()
	if !ok {
		return
	}
	id := textOf(l.id)
	key := digest("", id)
	one := f.store.index[key]
	copied := one != nil && key != 0
	if copied {
		f.repeat(one, l.counts)
	} else {
		one = f.addNew(c.form(f), id, key, at, l.counts)
	}
	c.events = append(c.events, codexEvent{place: place{f.number, at}, record: one, usage: l.counts, total: l.total, copied: copied})
	f.bytes += codexBytes
}

const codexBytes = 280

// count reads a token_count. If it lacks counts or repeats the previous total, it isn't a
// call.
func (c *codexFile) count(f *file) {
	l, before, none := &f.line, c.total, counts{}
	usage := l.last
	if l.total != none {
		if l.total == before {
			return
		}
		if c.total = l.total; usage == none {
			usage = l.total.since(before)
		}
	}
	if usage == none {
		return
	}
	at, ok := f.dated()
	if !ok {
		return
	}
	c.events = append(c.events, codexEvent{place: place{f.number, at}, form: c.form(f), usage: usage, total: l.total, last: l.last})
	f.bytes += codexBytes
}

// since returns the increase over before. If a count fell, the totals have started again
// from zero, and since returns c.
func (c counts) since(before counts) counts {
	added := c.less(before)
	for _, n := range added {
		if n < 0 {
			return c
		}
	}
	return added
}

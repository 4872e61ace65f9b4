package sessions

import "cmp"

// copilotNames are counts, of which the input includes reads and writes.
var copilotNames = []string{"inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"}

// beginCopilot reads Copilot CLI. A session.shutdown has the session's totals.
func beginCopilot(f *file) {
	of := form{program: "copilot-cli", api: "anthropic"}
	l := &f.line
	usage := l.counts.fields(copilotNames...)
	usage["model"], usage["apiCallId"], usage["modelProvider"] = &l.model, &l.id, &l.provider
	f.fields = fields{"type": &l.kind, "timestamp": &l.time, "data": fields{
		"sessionId": &l.session, "context": fields{"cwd": &l.cwd}, "usage": usage,
		"accountingSnapshot": fields{"modelMetrics": func() { f.members(f.copilotTotal) }},
	}}
	f.take = func() {
		switch f.repeated(l.kind) {
		case "session.start", "session.resume":
			of.session = cmp.Or(f.repeated(l.session), of.session)
			of.project = projectOf(f.repeated(l.cwd))
		case "session.shutdown":
			if at, ok := f.dated(); ok {
				f.state(f.total(of.program, of.session), at)
			}
		case "session.usage_record":
			if at, ok := f.dated(); ok {
				f.addCopilot(of, at)
			}
		}
	}
}

func (f *file) copilotTotal(key []byte) {
	var n counts
	model := string(key)
	f.object(fields{"usage": n.fields(copilotNames...)})
	f.addTotal(model, n.withoutCache(), 0)
}

func (f *file) addCopilot(of form, at int64) {
	l := &f.line
	of.model = f.repeated(l.model)
	of.bill(cmp.Or(f.repeated(l.provider), "github-copilot"))
	id := textOf(l.id)
	f.addCall(of, id, digest("", id), at, l.counts.withoutCache())
}

// withoutCache is for an input that includes reads and writes.
func (c counts) withoutCache() counts {
	c[input] -= c[reads] + c[writes]
	return c
}

// addCall adds a call unless its key is known. It returns nil if it adds nothing.
func (f *file) addCall(of form, id string, key uint64, at int64, n counts) *call {
	if n == (counts{}) {
		return nil
	}
	if n[input] < 0 {
		f.notes.add(of.program, of.session, "a call has more cached tokens than input")
		n[input] = 0
	}
	if c := f.store.index[key]; c != nil && key != 0 {
		f.repeat(c, n)
		return nil
	}
	f.total(of.program, of.session).add(of.model, n, at)
	return f.addNew(f.form(of), id, key, at, n)
}

// repeat notes a copy in another file, or with other counts.
func (f *file) repeat(c *call, n counts) {
	if c.seen != f.index || c.counts != n {
		f.copy(c, c.counts != n)
	}
	c.seen = f.index
}

func short(text string) string {
	if len(text) > longestText {
		return ""
	}
	return text
}

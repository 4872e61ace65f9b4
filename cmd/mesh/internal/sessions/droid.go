package sessions

import (
	"path/filepath"
	"strings"
)

var droidNames = []string{"inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens"}

func droidSession(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return name
}

// beginDroidSettings reads a session's total: Droid doesn't state usage for single calls.
func beginDroidSettings(f *file) {
	l := &f.line
	var thinking int64
	var children counts
	usage := l.counts.fields(droidNames...)
	usage["thinkingTokens"] = &thinking
	f.fields = fields{
		"model": &l.model, "providerLock": &l.provider, "providerLockTimestamp": &l.time,
		"tokenUsage": usage, "inclusiveTokenUsage": l.total.fields(droidNames...),
		"childInclusiveTokenUsageBySessionId": func() {
			f.members(func([]byte) {
				var child counts
				f.object(child.fields(droidNames...))
				children.add(child)
			})
		},
	}
	f.take = func() {
		session := droidSession(f.path)
		if rest := l.total.less(l.counts).less(children).kinds(); rest != (kinds{}) {
			f.notes.add("droid", session, "its total differs from the sum of its parts by %s", rest.text())
		}
		if thinking > 0 {
			f.notes.add("droid", session, "its thinking tokens (%d) are not counted separately from its output", thinking)
		}
		at, _ := timeOf(textOf(l.time))
		of := form{program: "droid", provider: providerOf(textOf(l.provider)), api: "anthropic", model: textOf(l.model), session: session, kind: sessionTotal}
		f.total("droid", session).droid = &call{sharedForm: f.form(of), time: at, counts: l.counts, file: f.index}
		f.bytes += callBytes
		thinking, children = 0, counts{} // for another line
	}
}

// beginDroid reads a conversation for its directory and times.
func beginDroid(f *file) {
	l := &f.line
	f.fields = fields{"type": &l.kind, "timestamp": &l.time, "cwd": &l.cwd}
	f.take = func() {
		t := f.total("droid", droidSession(f.path))
		if f.repeated(l.kind) == "session_start" {
			t.project = projectOf(f.repeated(l.cwd))
		}
		if at, err := timeOf(textOf(l.time)); err == nil {
			t.last = max(t.last, at)
		}
	}
}

func (r *run) finishDroid(session string, t *totals) {
	c := t.droid
	if t.last != 0 {
		c.time = t.last
	}
	switch {
	case c.counts.sum() == 0:
	case c.time == 0:
		r.notes.add("droid", session, "it has no time, so its total (%s) is not counted", c.counts.kinds().text())
	default:
		r.add(c, 0)
	}
}

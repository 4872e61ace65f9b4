package sessions

import (
	"path/filepath"
	"strings"
)

// droidSettings has a session's total. Droid doesn't state usage for single calls.
type droidSettings struct {
	Model, ProviderLock, ProviderLockTimestamp string
	TokenUsage, InclusiveTokenUsage            droidCounts
	ChildInclusiveTokenUsageBySessionID        map[string]droidCounts `json:"childInclusiveTokenUsageBySessionId"`
}

type droidCounts struct {
	InputTokens, OutputTokens, CacheCreationTokens, CacheReadTokens, ThinkingTokens count
}

func (c *droidCounts) counts() counts {
	return counts{input: int64(c.InputTokens), output: int64(c.OutputTokens), reads: int64(c.CacheReadTokens), writes: int64(c.CacheCreationTokens)}
}

func droidSession(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return name
}

func beginDroidSettings(f *file) {
	decodes(f, func(one *droidSettings) error {
		t := f.total("droid", droidSession(f.path))
		t.droid, t.file = one, f.index
		f.bytes += 8 * f.size
		return nil
	})
}

// beginDroid reads a conversation for its directory and times.
func beginDroid(f *file) {
	decodes(f, func(one *struct{ Type, Timestamp, Cwd string }) error {
		t := f.total("droid", droidSession(f.path))
		if one.Type == "session_start" {
			t.project = projectOf(short(one.Cwd))
		}
		if at, err := timeOf(one.Timestamp); err == nil {
			t.last = max(t.last, at)
		}
		return nil
	})
}

func (r *run) finishDroid(session string, t *totals) {
	d := t.droid
	if t.last == 0 {
		t.last, _ = timeOf(d.ProviderLockTimestamp)
	}
	of := form{program: "droid", api: "anthropic", model: short(d.Model), project: t.project, session: session, kind: sessionTotal}
	of.provider = providerOf(d.ProviderLock)
	n := d.TokenUsage.counts()
	rest := d.InclusiveTokenUsage.counts().kinds()
	rest.add(n.kinds(), -1)
	for _, child := range d.ChildInclusiveTokenUsageBySessionID {
		rest.add(child.counts().kinds(), -1)
	}
	if rest != (kinds{}) {
		r.notes.add("droid", session, "its total differs from the sum of its parts by %s", rest.text())
	}
	if d.TokenUsage.ThinkingTokens > 0 {
		r.notes.add("droid", session, "its thinking tokens (%d) are not counted separately from its output", d.TokenUsage.ThinkingTokens)
	}
	switch {
	case n.sum() == 0:
	case t.last == 0:
		r.notes.add("droid", session, "it has no time, so its total (%s) is not counted", n.kinds().text())
	default:
		r.add(&call{sharedForm: r.store.form(of), time: t.last, counts: n, file: t.file}, 0)
	}
}

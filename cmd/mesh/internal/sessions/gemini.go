package sessions

import (
	"path/filepath"
	"slices"
	"strings"
)

// beginGemini reads a Gemini CLI file: one object in older versions, lines in newer ones.
// A message can repeat with the same id; after a resume, it repeats without tokens. A
// rewind doesn't undo calls. Input counts include cache reads but not tools, and output
// counts exclude thoughts.
func beginGemini(f *file) {
	project, session := "", ""
	folders := strings.Split(filepath.ToSlash(f.path), "/") // tmp/PROJECT/chats
	if i := slices.Index(folders, "chats"); i > 0 {
		project = folders[i-1]
	}
	l := &f.line
	f.fields = fields{
		"type": &l.kind, "timestamp": &l.time, "id": &l.id, "model": &l.model, "$set": f.read, "messages": func() { f.elements(f.read) },
		"sessionId": func() { session = textOf(f.value()) },
		"tokens": fields{
			"input": &l.counts[0], "cached": &l.counts[1], "output": &l.counts[2], "thoughts": &l.counts[3], "tool": &l.counts[4], "total": &l.total[0],
		},
	}
	f.take = func() {
		if string(l.kind) != `"gemini"` || l.counts.sum() == 0 {
			return
		}
		of := form{program: "gemini-cli", provider: "gemini", model: f.repeated(l.model), project: project, session: session}
		if at, ok := f.dated(); ok {
			f.addMessage(of, at)
		}
		if sum := l.counts.sum() - l.counts[1]; l.total[0] != 0 && l.total[0] != sum {
			f.notes.add(of.program, session, "the total of a message is not the sum of its counts")
		}
	}
}

// addMessage adds a call. If a file repeats a message's id, the last line wins.
func (f *file) addMessage(of form, at int64) {
	id := textOf(f.line.id)
	key := digest(of.program, id)
	c := f.store.index[key]
	if c == nil || key == 0 {
		f.addNew(f.form(of), id, key, at, f.line.counts)
		return
	}
	if c.seen == f.index {
		c.counts, c.time = f.line.counts, at
	} else if c.file != f.index {
		f.copy(c, c.counts != f.line.counts)
	}
	c.seen = f.index
}

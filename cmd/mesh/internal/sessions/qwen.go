package sessions

import (
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// qwenNames are counts. The input includes reads, and the output thoughts.
var qwenNames = []string{"inputTokens", "outputTokens", "cachedTokens"}

// beginQwen reads Qwen Code's calls. Its authType is a protocol, not a provider.
func beginQwen(f *file) {
	l := &f.line
	f.fields = l.counts.fields(qwenNames...)
	f.fields["id"], f.fields["timestamp"], f.fields["sessionId"], f.fields["model"] = &l.id, &l.time, &l.session, &l.model
	f.take = func() {
		at, ok := f.dated()
		if !ok {
			return
		}
		of := form{program: "qwen-code", provider: "unknown", api: "anthropic", model: f.repeated(l.model), session: f.repeated(l.session)}
		if p, known := models.ProviderOf(of.model); known {
			of.provider = string(p)
		}
		id := textOf(l.id)
		f.addCall(of, id, digest(of.program, id), at, l.counts.withoutCache())
	}
}

// beginQwenTotals reads usage_record.jsonl, which has sessions' totals.
func beginQwenTotals(f *file) {
	l := &f.line
	f.fields = fields{
		"sessionId": &l.session, "project": &l.cwd, "timestamp": &l.start,
		"models": func() {
			f.members(func(key []byte) {
				var n counts
				model := string(key)
				f.object(n.fields(qwenNames...))
				f.addTotal(model, n.withoutCache(), 0)
			})
		},
	}
	f.take = func() {
		t := f.total("qwen-code", f.repeated(l.session))
		t.project = projectOf(f.repeated(l.cwd))
		f.state(t, time.UnixMilli(l.start).UnixNano())
	}
}

// skip ignores a file whose calls are also in another one.
func skip(f *file) { f.open = func(func(record, error) bool) {} }

package sessions

import (
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// qwenLine is a call, or in usage_record.jsonl a session's totals. The output includes
// thoughts.
type qwenLine struct {
	ID, SessionID, Model string
	qwenCounts
	Timestamp any
	Project   string
	Models    map[string]qwenCounts
}

type qwenCounts struct{ InputTokens, OutputTokens, CachedTokens count }

func (c *qwenCounts) counts() counts {
	return counts{input: int64(c.InputTokens - c.CachedTokens), output: int64(c.OutputTokens), reads: int64(c.CachedTokens)}
}

// beginQwen reads Qwen Code's calls. Its authType is a protocol, not a provider.
func beginQwen(f *file) {
	decodes(f, func(one *qwenLine) error {
		text, _ := one.Timestamp.(string)
		at, err := timeOf(text)
		if err != nil {
			return err
		}
		of := form{program: "qwen-code", provider: "unknown", api: "anthropic", model: short(one.Model), session: short(one.SessionID)}
		if p, known := models.ProviderOf(of.model); known {
			of.provider = string(p)
		}
		f.addCall(of, short(one.ID), digest(of.program, one.ID), at, one.counts())
		return nil
	})
}

func beginQwenTotals(f *file) {
	decodes(f, func(one *qwenLine) error {
		t := f.total("qwen-code", short(one.SessionID))
		t.project = projectOf(short(one.Project))
		stated := map[string]kinds{}
		for model, m := range one.Models {
			stated[model] = m.counts().kinds()
		}
		if at, ok := one.Timestamp.(float64); ok {
			f.state(t, stated, time.UnixMilli(int64(at)).UnixNano())
		}
		return nil
	})
}

// skip ignores a file whose calls are also in another one.
func skip(f *file) { f.text = func(line) error { return nil } }

package sessions

import "cmp"

// copilotLine is a line in a session file. Input counts include cache reads and writes.
type copilotLine struct {
	Type, Timestamp string
	Data            struct {
		SessionID string `json:"sessionId"`
		Context   struct{ Cwd string }
		Usage     struct {
			copilotCounts
			Model, APICallID, ModelProvider string
		}
		AccountingSnapshot struct {
			ModelMetrics map[string]struct{ Usage copilotCounts }
		}
	}
}

type copilotCounts struct {
	InputTokens, OutputTokens, CacheReadTokens, CacheWriteTokens count
}

func (c *copilotCounts) counts() counts {
	return counts{
		input: int64(c.InputTokens - c.CacheReadTokens - c.CacheWriteTokens), output: int64(c.OutputTokens),
		reads: int64(c.CacheReadTokens), writes: int64(c.CacheWriteTokens),
	}
}

// beginCopilot reads Copilot CLI. A session.shutdown has the session's totals.
func beginCopilot(f *file) {
	of := form{program: "copilot-cli", api: "anthropic"}
	decodes(f, func(one *copilotLine) error {
		d := &one.Data
		switch one.Type {
		case "session.start", "session.resume":
			of.session = short(cmp.Or(d.SessionID, of.session))
			of.project = projectOf(short(d.Context.Cwd))
		case "session.shutdown":
			at, err := timeOf(one.Timestamp)
			if err != nil {
				return err
			}
			stated := map[string]kinds{}
			for model, m := range d.AccountingSnapshot.ModelMetrics {
				stated[model] = m.Usage.counts().kinds()
			}
			f.state(f.total(of.program, of.session), stated, at)
		case "session.usage_record":
			at, err := timeOf(one.Timestamp)
			if err != nil {
				return err
			}
			of := of
			of.model = short(d.Usage.Model)
			of.bill(cmp.Or(d.Usage.ModelProvider, "github-copilot"))
			id := short(d.Usage.APICallID)
			f.addCall(of, id, digest("", id), at, d.Usage.counts())
		}
		return nil
	})
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

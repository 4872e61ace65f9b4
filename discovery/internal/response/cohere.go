package response

import (
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
)

// Cohere and Ollama can't use Root, because their message member doesn't hold a response.
var cohereRoot = place(nil, map[string]Field{"type": Kind, "id": ID, "model": Model, "usage": Usage, "meta": Usage, "delta.usage": Usage}, nil)

var ollamaRoot = place(nil, map[string]Field{
	"model": Model, "error": Failure, "done": Done, "prompt_eval_count": InputCount, "eval_count": OutputCount,
}, nil)

// own reports whether a stream has only one usage object.
func (r *Reader) own() bool {
	return r.form == usage.Converse || r.form == usage.Cohere || r.form == usage.Ollama
}

// last takes the final usage. Ollama's is in the event with done.
func (r *Reader) last(d *Document, used []byte) {
	if d.text[Latency] != "" {
		r.text[Latency] = d.text[Latency]
	}
	if r.form == usage.Ollama && d.turned {
		used = d.counted.object(r.form)
	}
	if used != nil {
		r.usage, r.final = used, true
	}
}

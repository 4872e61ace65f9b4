package response

import (
	"bytes"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
)

// chunk reads one event. Gemini repeats the usage so far in each event, and
// the last one has the finish reason. Names and tier are kept from the first chunks and
// from chunks with more than content, since a caller may omit the others.
func (r *Reader) chunk(d *Document) {
	used := d.used()
	if !r.Named() || used != nil || d.finished > 0 {
		r.keep(d, Tier)
	}
	r.tools.merge(&d.tools)
	r.finished = r.finished || d.finished > 0 || d.turned
	if r.own() {
		r.last(d, used)
		return
	}
	switch {
	case used == nil:
	case d.native:
		r.generated(d, used)
	default:
		r.completion(used, d.candidates)
	}
}

// completion takes the usage from a chat chunk. The final one is in a chunk without
// choices, or follows the finish reason. If every chunk has the usage so far, the last
// one counts.
func (r *Reader) completion(used []byte, choices int) {
	r.usage, r.merged = used, nil
	r.setCharged(used)
	r.final = r.charged || r.finished || choices == 0
	r.open = !r.finished || choices > 0
}

func (r *Reader) setCharged(used []byte) {
	if bytes.Contains(used, []byte(`"cost"`)) { // which few objects have
		u, err := usage.Parse(r.form, used)
		r.charged = err == nil && u.ChargedUSD != ""
	}
}

package report

import (
	"bytes"
	"fmt"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

// Sessions is what is known of calls of the session files of agent programs ([calls.SessionPaths]).
type Sessions struct {
	// Calls is their number, and First the time of the first one: the programs delete old files.
	Calls int       `json:"calls"`
	First time.Time `json:"first"`
	// Assumed is the number of calls with cache writes whose lifetime the file does not state. They count as writes for five minutes.
	Assumed int `json:"assumed"`
}

// String returns sentences about what the files do not have.
func (s *Sessions) String() string {
	text := fmt.Sprintf("%s of session files, which begin on %s: programs delete old ones (Claude Code after 30 days). They do not have failed calls, fees, and whether a subscription paid.",
		table.Number(s.Calls, "call is", "calls are"), s.First.Format(time.DateOnly))
	if s.Assumed > 0 {
		text += fmt.Sprintf(" The cache writes of %s no lifetime there; five minutes are assumed.", table.Number(s.Assumed, "call have", "calls have"))
	}
	return text
}

func (s *Sessions) add(one *call) {
	if s.Calls++; s.Calls == 1 || one.Time.Before(s.First) {
		s.First = one.Time
	}
	if one.Counts.CacheWrite5m > 0 && !bytes.Contains(one.Usage, []byte("ephemeral_5m")) {
		s.Assumed++
	}
}

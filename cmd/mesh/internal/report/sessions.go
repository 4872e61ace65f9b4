package report

import (
	"bytes"
	"fmt"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

// Sessions is what is known of calls of the session files of agent programs.
type Sessions struct {
	// Calls is their number, and First the time of the first one: the programs delete old files.
	Calls int       `json:"calls"`
	First time.Time `json:"first"`
	// Assumed is the number of calls with cache writes whose lifetime the file does not state. They count as writes for five minutes.
	Assumed int `json:"assumed"`
	// WithoutLine is the number of records of programs that state more than their lines have; they are not in Calls. Requested is the
	// number of calls with a tier that was requested and may not have been served.
	WithoutLine int `json:"without_a_line,omitempty"`
	Requested   int `json:"requested_tier,omitempty"`
}

// String returns sentences about what the files do not have.
func (s *Sessions) String() string {
	text := fmt.Sprintf("%s of session files, which begin on %s: programs delete old ones (Claude Code after 30 days). They do not have failed calls, fees, and whether a subscription paid.",
		table.Number(s.Calls, "call is", "calls are"), s.First.Format(time.DateOnly))
	if s.Assumed > 0 {
		text += fmt.Sprintf(" The cache writes of %s no lifetime there; five minutes are assumed.", table.Number(s.Assumed, "call have", "calls have"))
	}
	if s.Requested > 0 {
		text += fmt.Sprintf(" The tier of %s is the one that was requested.", table.Number(s.Requested, "call", "calls"))
	}
	if s.WithoutLine > 0 {
		text += " The totals of sessions have more than their lines: calls such as those of compactions, which have a cost and are not counted."
	}
	return text
}

func (s *Sessions) add(one *call) {
	if one.WithoutLine {
		s.WithoutLine++
	} else {
		s.Calls++
	}
	if s.First.IsZero() || one.Time.Before(s.First) {
		s.First = one.Time
	}
	if one.Labels["tier"] == "requested" {
		s.Requested++
	}
	if one.Counts.CacheWrite5m > 0 && !bytes.Contains(one.Usage, []byte("ephemeral_5m")) {
		s.Assumed++
	}
}

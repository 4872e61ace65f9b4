package meter

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// followInterval is the time between two looks at a folder.
const followInterval = time.Second

// maxFollowErrors bounds the errors that Follow keeps.
const maxFollowErrors = 100

// Follow lets the programs that write to a folder share the budgets of m, and lets the budgets outlive a program. log gets the records of
// m, as with WithRecorder(log.Record). Follow counts towards the budgets what others have written to the folder of log in the present
// periods, then each second what they append, until ctx ends. The files of log itself are left out: their calls are counted already. A
// response that several programs made or fetched counts once. [Meter.Spent] counts the calls of m alone. A budget without a period counts
// the whole folder.
//
// Follow reads the folder at least once, even if ctx has ended. A program that must not begin before the spent part is known calls it with
// such a context first: a later Follow of the same log continues there, and counts nothing twice.
//
// Follow reads on after an error, such as a line that cannot be read, and returns nil or the errors when ctx ends, at
// most 100: of each file the first. With [WithStrict] the budgets refuse all calls from then on. The error of a wrong log is a [*ValueError],
// at once.
//
// A program does not see the calls that run in another one, and sees a call that has ended up to a second later. So n programs together
// can exceed a budget further than one of them alone: by what n-1 of them spend within a second, and by the calls that they then have
// running. For eight programs that make ten calls of 0.01 USD a second each, one at a time, this is 7 × (0.10 + 0.01) = 0.77 USD.
func (m *Meter) Follow(ctx context.Context, log *calls.Log) error {
	if err := m.ready(); err != nil {
		return err
	}
	if log == nil {
		return invalid("log", "", "must not be nil")
	}
	ticker := time.NewTicker(followInterval)
	defer ticker.Stop()
	var errs []error
	for others := m.othersOf(log); ; {
		failed := m.addEach(others, false)
		var wrong *ValueError
		if errors.As(errors.Join(failed...), &wrong) {
			return wrong
		}
		if m.strict && len(failed) > 0 {
			m.mu.Lock()
			m.unread = failed[0]
			m.mu.Unlock()
		}
		errs = append(errs, failed[:min(len(failed), maxFollowErrors-len(errs))]...)
		select {
		case <-ctx.Done():
			return errors.Join(errs...)
		case <-ticker.C:
		}
	}
}

// othersOf returns the sequence of what others write to the folder of a Log, which is the same one for each Follow.
func (m *Meter) othersOf(log *calls.Log) iter.Seq2[calls.Record, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.others[log] == nil {
		m.others[log] = log.Others(m.began(time.Now()))
	}
	return m.others[log]
}

// began returns when the longest period of the budgets began, and the zero time for one without a begin.
func (m *Meter) began(now time.Time) time.Time {
	began := now
	for _, a := range m.budgets {
		if b := a.budget.Per.began(now); b.Before(began) {
			began = b
		}
	}
	return began
}

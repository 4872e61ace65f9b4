package meter

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/once"
)

// Restore counts earlier records, such as a calls file, towards the budgets and
// [Meter.Spent]. Use it to let a budget survive a restart.
//
// Recorders don't get these records. Copies count once; see [calls.Copies]. A record
// without a cost counts as its BoundUSD or as Budget.PerCall, whichever is more. If
// BoundUSD is missing, Restore computes it.
//
// After an error in the sequence, Restore continues. It returns all errors, joined.
func (m *Meter) Restore(records iter.Seq2[calls.Record, error]) error {
	if err := m.ready(); err != nil {
		return err
	}
	if records == nil {
		return invalid("records", "", "must not be nil")
	}
	return errors.Join(m.addEach(calls.Once(records), true)...)
}

// addEach adds valid records. If own is set, this program wrote them in an earlier run.
func (m *Meter) addEach(records iter.Seq2[calls.Record, error], own bool) (errs []error) {
	for r, err := range records {
		if err == nil {
			err = m.add(r, own)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// add counts an earlier call, or another program's call, unless the record is a copy.
func (m *Meter) add(r calls.Record, own bool) error {
	c, err := r.Count(m.prices, false)
	if err != nil {
		return err
	}
	if c.Unpriced != "" && c.BoundUSD == "" && c.HasCounts {
		if again, err := c.Count(m.prices, true); err == nil {
			c.BoundUSD = cmp.Or(again.USD, again.BoundUSD)
		}
	}
	m.mu.Lock()
	defer m.unlock()
	var reserved []reservation
	switch {
	case c.Incomplete && c.USD == "": // budgets are spent at least
	case m.isCopy(&c):
		return nil
	case once.Fetches(c.Path, c.ID):
		reserved = m.take(c.ID).reserved
	}
	return m.count(&c, reserved, own)
}

// followInterval is the pause between two reads.
const followInterval = time.Second

const maxFollowErrors = 100

// Follow lets programs that write to the same directory share m's budgets. It also
// carries budgets over to a program's next run. The log must receive m's records, as
// with WithRecorder(log.Record).
//
// Follow first counts towards the budgets what others have written to the log's
// directory in the current periods, then every second what they append, until ctx ends.
// Budgets without a period count the whole directory. The log's own files are skipped:
// their calls are counted already. A response that several programs made or fetched
// counts once. [Meter.Spent] still counts only m's calls.
//
// # Before the first call
//
// Follow reads the directory at least once, even if ctx has ended. To know the amount
// spent before your program starts, call Follow with an ended context first. A later
// Follow with the same log continues there and counts nothing twice.
//
// # Errors
//
// Follow continues after an error, such as an unreadable line. When ctx ends, it returns
// nil or the errors, at most 100, with only the first from each file. With [WithStrict]
// the budgets refuse all calls after such an error. A wrong log is a [*ValueError], at
// once.
//
// # Accuracy
//
// Programs don't see each other's running calls, and see an ended call up to a second
// later. So n programs can exceed a budget further than one: by the amount that n-1
// programs spend in a second, plus the calls they then have running. If eight programs
// each make ten calls a second at 0.01 USD, one at a time, this is 7 × (0.10 + 0.01) =
// 0.77 USD.
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

// othersOf returns the same sequence for each Follow with log, so a later one continues
// where an earlier one ended.
func (m *Meter) othersOf(log *calls.Log) iter.Seq2[calls.Record, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.others[log] == nil {
		m.others[log] = log.Others(m.began(time.Now()))
	}
	return m.others[log]
}

// began returns the start time for the longest budget period: the zero time for
// PeriodTotal.
func (m *Meter) began(now time.Time) time.Time {
	began := now
	for _, a := range m.budgets {
		if b := a.budget.Per.began(now); b.Before(began) {
			began = b
		}
	}
	return began
}

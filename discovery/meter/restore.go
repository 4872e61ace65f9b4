package meter

import (
	"cmp"
	"errors"
	"iter"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/once"
)

// Restore counts earlier records, such as the records of a calls file, towards the budgets and [Meter.Spent], so that a
// budget survives a restart. Recorders do not get them. Records of one call count once, as [calls.Copies] describes. A record without a
// cost counts as its BoundUSD or as Budget.PerCall, if that is more; a BoundUSD that is missing is computed. Restore
// reads on after an error of the sequence, and returns all of them joined.
func (m *Meter) Restore(records iter.Seq2[calls.Record, error]) error {
	if err := m.ready(); err != nil {
		return err
	}
	if records == nil {
		return invalid("records", "", "must not be nil")
	}
	return errors.Join(m.addEach(calls.Once(records), true)...)
}

// addEach counts each record as it counts, and returns the errors. Own records are those of this program at an earlier run.
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

// add counts a record of an earlier call, or of another program, unless it is a copy.
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

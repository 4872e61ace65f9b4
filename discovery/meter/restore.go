package meter

import (
	"errors"
	"iter"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// Restore counts earlier records, such as the records of a calls file, towards the budgets and [Meter.Spent], so that a
// budget survives a restart. Recorders do not get them. Records of one call count once, as [calls.Copies] describes. A record without a
// cost counts as its BoundUSD or as Budget.PerCall, if that is more; the BoundUSD of an incomplete one that has none is computed. Restore
// reads on after an error of the sequence, and returns all of them joined.
func (m *Meter) Restore(records iter.Seq2[calls.Record, error]) error {
	if err := m.ready(); err != nil {
		return err
	}
	if records == nil {
		return invalid("records", "", "must not be nil")
	}
	return errors.Join(m.each(calls.Once(records), m.countEarlier)...)
}

func (m *Meter) countEarlier(r *calls.Record) error {
	reserved, first := m.taken(r)
	if !first {
		return nil
	}
	return m.count(r, reserved)
}

// each calls count with each record as it counts, and returns the errors.
func (m *Meter) each(records iter.Seq2[calls.Record, error], count func(*calls.Record) error) (errs []error) {
	for r, err := range records {
		var c calls.Counted
		if err == nil {
			c, err = r.Count(m.prices, false)
		}
		if err == nil {
			if c.Unpriced != "" && !c.Complete && c.BoundUSD == "" && c.HasUsage {
				c.BoundUSD = atLeast(m.prices, c.Call)
			}
			err = count(&c.Record)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

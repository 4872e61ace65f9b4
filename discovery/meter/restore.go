package meter

import (
	"errors"
	"iter"
	"math/big"
)

// Restore counts earlier records, such as those of a calls file, towards the budgets, the ledger and [Meter.Spent], so that a
// budget survives a restart. Recorders do not get them. A record without a cost counts as Budget.PerCall. Restore reads on after
// an error of the sequence, and returns all of them joined.
func (m *Meter) Restore(records iter.Seq2[Record, error]) error {
	var errs []error
	for r, err := range records {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		m.count(&r, func(usd *big.Rat) { m.charge(r.Time, r.Labels, usd) })
	}
	return errors.Join(errs...)
}

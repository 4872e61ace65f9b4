package bills_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// TestCausesAreTrue compares bills whose truth is known. If the bill doesn't show the
// cause, the comparison says amount_differs and never another cause.
func TestCausesAreTrue(t *testing.T) {
	t.Parallel()
	cases, silent, seeds := 0, map[string]int{}, uint64(1)
	if whole.Tests() {
		seeds = 2
	}
	for _, s := range styles {
		for i, situation := range situations {
			if i%whole.Cases(1, 5) != 0 {
				continue
			}
			for seed := range seeds {
				w := newWorld(s, seed)
				situation.apply(w)
				c, err := w.compare()
				require.NoError(t, err)
				name := fmt.Sprintf("%s: %s (%d): %v", s.name, situation.name, seed, c.Sentences())
				cases++
				addsUp(t, c, name)
				if c.Total.Cause == bills.AmountDiffers && situation.cause != bills.AmountDiffers {
					silent[s.name]++
				} else {
					assert.Equal(t, situation.cause, c.Total.Cause, name)
				}
				w.checkParts(t, c, name)
			}
		}
	}
	assert.GreaterOrEqual(t, cases, whole.Cases(200, 40))
	assert.Zero(t, silent["openai"]+silent["google"], "with quantities by kind every cause is known")
}

// checkParts compares causes for models and days whose cells all have the same one.
func (w *world) checkParts(t *testing.T, c *bills.Comparison, name string) {
	t.Helper()
	for _, p := range append(append([]bills.Part{}, c.Days...), c.Models...) {
		causes := map[bills.Cause]bool{}
		for cell, cause := range w.cause {
			if (p.Day == "" || w.day(cell[0]) == p.Day) && (p.Model == "" || names[cell[1]] == p.Model) {
				causes[cause] = true
			}
		}
		for _, line := range w.lines {
			if p.Day == line.Day && line.Model == "" {
				causes[bills.Fees] = true
			}
		}
		drift := decimalOf(p.DriftUSD)
		switch {
		case p.Cause == "" || p.Cause == bills.AmountDiffers || len(causes) > 1 || causes[bills.Mixed]:
		case len(causes) == 0:
			assert.Equal(t, bills.Fees, p.Cause, "%s: %s", p.Name, name)
		default:
			assert.True(t, causes[p.Cause], "%s is %s: %s", p.Name, p.Cause, name)
		}
		if len(causes) == 1 && p.Day != "" && drift.Abs(drift).Cmp(big.NewRat(1, 50)) > 0 {
			assert.NotEmpty(t, p.Cause, "%s: %s", p.Name, name)
		}
	}
}

// addsUp checks with exact fractions that each part's effects add up to its difference,
// and its cells to the part.
func addsUp(t *testing.T, c *bills.Comparison, name string) {
	t.Helper()
	parts := append(append(append([]bills.Part{c.Total}, c.Days...), c.Models...), c.Cells...)
	for _, p := range parts {
		sum, drift := new(big.Rat), decimalOf(p.BilledUSD)
		for _, e := range p.Effects {
			sum.Add(sum, decimalOf(e.USD))
		}
		drift.Sub(drift, decimalOf(p.CountedUSD))
		if !assert.Zero(t, drift.Cmp(decimalOf(p.DriftUSD)), name) || !assert.Zero(t, drift.Cmp(sum), "%s %s: %v", name, p.Name, p.Effects) {
			return
		}
	}
	effects := map[bills.Cause]*big.Rat{}
	for _, p := range c.Cells {
		for _, e := range p.Effects {
			if effects[e.Cause] == nil {
				effects[e.Cause] = new(big.Rat)
			}
			effects[e.Cause].Add(effects[e.Cause], decimalOf(e.USD))
		}
	}
	for _, e := range c.Total.Effects {
		effects[e.Cause].Sub(effects[e.Cause], decimalOf(e.USD))
	}
	for cause, rest := range effects {
		assert.Zero(t, rest.Sign(), "%s: %s", name, cause)
	}
}

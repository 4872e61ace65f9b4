// These names are for package pricelist_test only.

package pricelist

import "time"

func (t *Terms) FactorOf(provider, model, mode string, at time.Time) (*modeFactor, bool) {
	return t.factorOf(provider, model, mode, at)
}

func (t *Terms) ModeAt(provider string, at time.Time) string { return t.mode(provider, at) }

var Near = near

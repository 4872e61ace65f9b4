// Names that package pricelist_test needs.

package pricelist

var (
	FactorOf = factorOf
	Hours    = hours
	Near     = near
)

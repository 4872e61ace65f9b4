// These names are for package pricelist_test only.

package pricelist

var (
	FactorOf = factorOf
	Hours    = hours
	Near     = near
)

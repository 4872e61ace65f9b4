package pricelist

var (
	FactorOf = factorOf
	Hours    = hours
	Near     = near
)

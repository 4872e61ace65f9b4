package pricelist

var (
	FactorOf = factorOf
	Near     = near
	OffPeak  = offPeak
)

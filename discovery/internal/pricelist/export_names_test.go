package pricelist

var (
	FactorOf = factorOf
	OffPeak  = offPeak
)

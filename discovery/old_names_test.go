package discovery_test

// The former names of shared test helpers, until all test files use the new ones.
type site = fakeServer

var (
	newSite     = newFakeServer
	says        = respond
	refuses     = respondStatus
	valueError  = requireValueError
	quiet       = discardLogger
	catalogOf   = catalogServer
	providersUp = providerServer
	balanceOf   = balanceServer
	oneFailure  = requireOneFailure
	priced      = skuServer
	recorded    = recordedServer
)

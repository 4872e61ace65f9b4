package page_test

import "github.com/mesh-gateway/mesh-go/cmd/mesh/internal/test/madecalls"

// Shared with the report's tests.
var (
	now         = madecalls.Now
	at          = madecalls.At
	day         = madecalls.Day
	someRecords = madecalls.Records
	sequence    = madecalls.Sequence
	priced      = madecalls.Priced
	of          = madecalls.Of
	labelled    = madecalls.Labelled
	repeat      = madecalls.Repeat
	build       = madecalls.Build
	compared    = madecalls.Compared
	billed      = madecalls.Billed
)

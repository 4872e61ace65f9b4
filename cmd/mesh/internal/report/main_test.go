package report_test

import (
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/test/madecalls"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Shared with the page's tests.
var (
	now         = madecalls.Now
	at          = madecalls.At
	day         = madecalls.Day
	record      = madecalls.Record
	someRecords = madecalls.Records
	priced      = madecalls.Priced
	of          = madecalls.Of
	labelled    = madecalls.Labelled
	repeat      = madecalls.Repeat
	build       = madecalls.Build
	compared    = madecalls.Compared
	billed      = madecalls.Billed
)

// anthropic turns r into a call to a model that retires on 2026-11-30.
func anthropic(r calls.Record) calls.Record {
	r.Provider, r.Model = models.Anthropic, "claude-sonnet-4-5"
	return r
}

package report

import (
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Options select what a [Report] is about.
type Options struct {
	// From and To are the period, To exclusive. If both are zero, it is the last 28 full UTC days before Now; calls that are all younger are
	// shown with today included. If only To is zero, the period ends with the day of Now; if only From is zero, it begins 28 days before To.
	From, To time.Time
	// MatchLabels selects the calls that have all of these labels, as [calls.Record.HasLabels] reports; nil selects all calls. The report
	// has nothing of other calls: budgets and bills are compared with these, too.
	MatchLabels map[string]string
	// Now is the present time, which decides on the month, on today and on what retires. Zero is time.Now().
	Now time.Time
	// Labels are the names of the labels to report. nil selects the four with the highest cost, without "message", "thread" and "thread_id".
	Labels []string
	// Budgets are texts such as "5", "5/day", "100/month" and "2/day/label:user".
	Budgets []string
	// ChargesOnly makes budgets count only what is charged, as meter.WithChargesOnly: calls of a subscription cost them nothing.
	ChargesOnly bool
	// Subscription makes the calls of session files those of a subscription, which no such file states: their list price is not a charge.
	Subscription bool
	// Prices price calls that have no cost yet, what caches saved, and replacements; nil is [prices.BuiltIn].
	Prices *prices.List
	// Reprice computes the cost of all calls with Prices, whatever was recorded, except of those without the counts for it, such as streams
	// that broke off.
	Reprice bool
	// Bills are shown beside the calls, as they were compared.
	Bills []*bills.Comparison
	// Decode and Join, if they are set, are those of calls.Options.
	Decode func(path string, head []byte) calls.Decoder
	Join   func(file string, r *calls.Record)
	// OnRead, if it is set, is called by [Read] as calls.Options.OnRead.
	OnRead func(bytes int)
}

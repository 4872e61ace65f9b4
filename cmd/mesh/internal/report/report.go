package report

import (
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Report explains costs in a period, their change, and the next steps, as plain data.
// Names are copied from the files: escape them when formatting.
//
// Amounts are exact US dollars as plain decimals; "" means unknown, and differences can
// be negative. Ratios and shares are fractions (0.5 is 50 %), or nil if undefined. Slices
// are never nil. Lines whose tokens would overflow an int64 are in Errors; in a report
// from [Build], counts stop at the largest int64.
//
// Parts add up to their whole: table rows to the total, a day's models to the day, and
// the three parts to the change.
type Report struct {
	// Period applies to all numbers whose comment doesn't mention another time. Previous has
	// the same length and ends where Period starts.
	Period   Period `json:"period"`
	Previous Period `json:"previous"`
	// Source describes the input.
	Source Source `json:"source"`
	Total  Total  `json:"total"`
	// Week ends with the day before Options.Now.
	Week Week `json:"week"`
	// Change compares with Previous. It is nil if Total.Previous.Averaged is 0 or Previous
	// starts before the first call.
	Change *Change `json:"change"`
	// Month is always about Options.Now.
	Month Month `json:"month"`
	// Budgets has Options.Budgets in the same order.
	Budgets []Budget `json:"budgets"`
	Days    Days     `json:"days"`
	// Models has all models called in Period or Previous, the highest cost first. The last
	// row may be Others.
	Models []ModelRow `json:"models"`
	// Providers and Platforms group the same calls by name; the platform "" is the
	// provider's own API.
	Providers []Row `json:"providers"`
	Platforms []Row `json:"platforms"`
	// Labels has Options.Labels or, if that is nil, up to four labels with the highest cost.
	Labels []Label `json:"labels"`
	// Users has the mean cost per user and day. It is nil if no call has a label "user" or
	// there are more than 100,000 pairs.
	Users *Users `json:"users"`
	Cache Cache  `json:"cache"`
	// Latency has errors and latencies by model, in the same order as Models.
	Latency  []Latency `json:"latency"`
	Failures Failures  `json:"failures"`
	// Retiring lists the retired models in use, then those that retire within 90 days after
	// Options.Now, and last the deprecated models without a date. Each group is sorted by
	// date.
	Retiring []Retiring `json:"retiring"`
	Top      Top        `json:"top"`
	Unpriced Unpriced   `json:"unpriced"`
	// Bills has Options.Bills.
	Bills []*bills.Comparison `json:"bills"`
	// Advice has up to five texts, the most urgent first.
	Advice []Advice `json:"advice"`
	// Codes has each advice code once, including advice that was left out.
	Codes  []string `json:"codes"`
	Errors Errors   `json:"errors"`

	explain bool
}

// Period is a time range, in the zone Source.Zone.
type Period struct {
	// From is inclusive, To exclusive.
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// Days counts calendar days in the period, including partial ones.
	Days int `json:"days"`
	// Running reports whether the period has begun and ends after Options.Now.
	Running bool `json:"running"`
}

// Source describes the input. Its numbers aren't limited to Period.
type Source struct {
	// Paths are the input's files and directories.
	Paths []string `json:"paths"`
	// Copies has, by file, the records left out as copies.
	Copies []calls.Copies `json:"copies"`
	// MatchLabels is Options.MatchLabels; calls without these labels are in no number.
	MatchLabels map[string]string `json:"match_labels,omitempty"`
	// Calls counts all calls, which helps to explain an empty Period.
	Calls int `json:"calls"`
	// First and Last are zero if there are no calls.
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	// Sessions describes calls from session files, if any.
	Sessions *Sessions `json:"sessions,omitempty"`
	// Future counts calls after the day in Options.Now. No default period includes them.
	Future int `json:"future"`
	// Now is Options.Now, and Zone names the zone for all times, such as "UTC". Times show
	// the zone's clock but have the location UTC, until you call [Report.InZone].
	Now  time.Time `json:"now"`
	Zone string    `json:"zone"`
	// PricesAsOf and RetirementsAsOf are table dates; "" if unknown.
	PricesAsOf      string `json:"prices_as_of"`
	RetirementsAsOf string `json:"retirements_as_of"`
}

// Sum adds up calls.
type Sum struct {
	// Calls counts each try separately.
	Calls int `json:"calls"`
	// Failed calls have a status other than 0 and 2xx, or have no status, no usage and a
	// reason for an unknown cost.
	Failed int `json:"failed"`
	// Unpriced calls are not included in USD.
	Unpriced int `json:"unpriced"`
	// Bounded counts unpriced calls with a minimum cost, and BoundUSD adds it up. USD does
	// not include it.
	Bounded  int        `json:"bounded"`
	BoundUSD prices.USD `json:"bound_usd"`
	// USD is the exact sum over known costs.
	USD prices.USD `json:"usd"`
	// SubscriptionUSD is the share of USD covered by a subscription: list prices, not
	// charges.
	SubscriptionUSD prices.USD `json:"subscription_usd"`
	// Averaged counts the calls that have a known cost and didn't fail, without records for
	// usage that only session totals have. PerCallUSD is their mean cost, rounded half to
	// even to 12 places; "" without such calls.
	Averaged   int        `json:"counted"`
	PerCallUSD prices.USD `json:"per_call_usd"`
	// Input includes Cached, which was read from caches, and Written, which was written to
	// them.
	Input   int64 `json:"input"`
	Cached  int64 `json:"cached"`
	Written int64 `json:"written"`
	Output  int64 `json:"output"`
}

// Row adds up the calls with one value, in Period and in Previous.
type Row struct {
	// Value is shared by the calls; "" if it is missing.
	Value string `json:"value"`
	// Others marks the row for all values without a separate one; Values counts them and is
	// 0 in other rows.
	Others bool `json:"others,omitempty"`
	Values int  `json:"values,omitempty"`
	Sum
	Previous Sum `json:"previous"`
	// ChangeUSD is USD less Previous.USD; Change is ChangeUSD divided by Previous.USD.
	ChangeUSD prices.USD `json:"change_usd"`
	Change    *float64   `json:"change"`
	// Share is USD divided by the total.
	Share *float64 `json:"share"`
}

// ModelID identifies a model by the names in the calls.
type ModelID struct {
	Provider models.Provider `json:"provider"`
	// Platform hosts the model; "" is the provider's own API.
	Platform string `json:"platform"`
	Model    string `json:"model"`
}

// ModelRow is a model's row. Value is the model name.
type ModelRow struct {
	ModelID
	Row
}

// Total adds up all calls in Period and in Previous.
type Total struct {
	Row
	// Models, Providers and Platforms count how many were called in Period.
	Models    int `json:"models"`
	Providers int `json:"providers"`
	Platforms int `json:"platforms"`
	// Priced is the share of calls with a known cost, and PreviousPriced the same for
	// Previous.
	Priced         *float64 `json:"priced"`
	PreviousPriced *float64 `json:"previous_priced"`
	// Comparable reports whether Priced and PreviousPriced differ by at most 0.01. If false,
	// don't compare costs.
	Comparable bool `json:"comparable"`
}

// Days has costs by day and model.
type Days struct {
	// Models are up to six models with the highest cost, one per column. Day.Models is
	// parallel to it, with an additional amount for all others.
	Models []ModelID `json:"models"`
	// Label is the first in Report.Labels with two to seven values, or "". Values are up to
	// six of them with the highest cost. Day.Values is parallel to it, with an additional
	// amount for all other calls.
	Label  string   `json:"label"`
	Values []string `json:"values"`
	// Rows has each day in Period since the first call. If Period is longer than 800 days,
	// only days with calls.
	Rows []Day `json:"rows"`
	// Today is set if Period doesn't include today and there were calls today.
	Today *Day `json:"today"`
}

// Day is a calendar day.
type Day struct {
	// Day is formatted like "2026-11-21".
	Day string `json:"day"`
	Sum
	// PreviousUSD is the known cost Period.Days earlier, which is the same weekday after 28
	// days; "" before the first call.
	PreviousUSD prices.USD `json:"previous_usd"`
	// Models is parallel to Days.Models, followed by all others.
	Models []prices.USD `json:"models"`
	// Values is parallel to Days.Values, followed by all other calls.
	Values []prices.USD `json:"values"`
	// Running reports whether the day is not over.
	Running bool `json:"running"`
}

// Label has costs by label value.
type Label struct {
	Name string `json:"name"`
	// Values counts values in Period and Previous, without "", which means no label.
	Values int `json:"values"`
	// Rows has up to 200 values, the highest cost first, then Others, then calls without the
	// label. Values beyond the first 100,000, or 125,000 in all labels, are in Others; which
	// ones depends on file order.
	Rows []Row `json:"rows"`
	// Folded reports whether these limits were exceeded.
	Folded bool `json:"folded"`
}

// Errors counts unreadable lines, files and records, which no other number includes.
type Errors struct {
	Count int `json:"count"`
	// First has up to 100 error texts, without content from the lines.
	First []string `json:"first"`
}

// Options select the calls for a [Report] and how to count them.
type Options struct {
	// From and To select the period, To exclusive. The default is the last 28 full days
	// before Now or, if all calls are younger, the days since the first call and today. If
	// only To is zero, the period ends with today; if only From is zero, it starts 28 days
	// before To.
	From, To time.Time
	// MatchLabels selects calls that have all these labels, like [calls.Record.HasLabels];
	// nil selects all. Other calls appear nowhere, not even in budgets and bills.
	MatchLabels map[string]string
	// Location is the time zone for days and months; nil is UTC. Budgets and bills use UTC.
	Location *time.Location
	// Explain adds a text about facts that session files lack.
	Explain bool
	// Now is the current time, for today, this month and retirements. Zero means time.Now().
	Now time.Time
	// Labels selects the labels to report. nil means the four with the highest cost except
	// for "message", "thread" and "thread_id".
	Labels []string
	// Budgets are limits such as "5", "5/day", "100/month" and "2/day/label:user".
	Budgets []string
	// ChargesOnly leaves subscription calls out of budgets, like meter.WithChargesOnly.
	ChargesOnly bool
	// Subscription treats session file calls as paid by a subscription. No session file
	// states that.
	Subscription bool
	// Facts has the retirement dates; nil is [facts.BuiltIn].
	Facts *facts.Facts
	// Prices has prices for calls without a cost, cache savings and replacements; nil means
	// the prices in Facts.
	Prices *prices.List
	// Reprice replaces recorded costs with costs from Prices, except for calls without the
	// necessary counts, such as broken streams.
	Reprice bool
	// Bills are shown unchanged.
	Bills []*bills.Comparison
	// Decode and Join are passed to [calls.Read] if they are set.
	Decode func(path string, head []byte) calls.Decoder
	Join   func(file string, r *calls.Record)
	// OnError, if set, gets every error that is counted in Report.Errors.
	OnError func(error)
	// OnRead, if set, is passed to [calls.Read]. Build ignores it.
	OnRead func(bytes int)
}

package report

import (
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Report answers what calls cost in a period, why that changed, and what to do. It is plain data. Amounts are exact US dollars as plain
// decimals, which can be negative where they are differences; "" is an amount that is not known. Counts of tokens that exceed int64 are
// the largest int64. Ratios and shares are fractions, 0.5 for 50 %, and nil if they have no value. Slices are never nil.
//
// Parts add up to their whole: the rows of a table to the total, the models of a day to the day, and the three parts of the change to
// the change. Names are as in the files: a formatter must escape them.
type Report struct {
	// Period is what all numbers are about, unless their comment has another time. Previous is the time before that is as long.
	Period   Period `json:"period"`
	Previous Period `json:"previous"`
	// Source is what was read.
	Source Source `json:"source"`
	Total  Total  `json:"total"`
	// Week compares the last seven full days before Options.Now.
	Week Week `json:"week"`
	// Change is the change against Previous; nil without priced calls in Previous, and if the files begin within it.
	Change *Change `json:"change"`
	// Month is the calendar month of Options.Now, whatever Period is.
	Month Month `json:"month"`
	// Budgets are Options.Budgets, in their order.
	Budgets []Budget `json:"budgets"`
	Days    Days     `json:"days"`
	// Models are all models with calls in Period or Previous, the highest cost first. The last row may be Others.
	Models []ModelRow `json:"models"`
	// Providers has the same calls by provider, and Platforms by platform ("" is the provider's own API). Value is the name.
	Providers []Row `json:"providers"`
	Platforms []Row `json:"platforms"`
	// Labels are Options.Labels, or else up to four with the highest cost.
	Labels []Label `json:"labels"`
	// Users is what a user cost a day; nil without a label "user" and above 100,000 pairs of user and day.
	Users *Users `json:"users"`
	Cache Cache  `json:"cache"`
	// Latency has the errors and latencies by model, in the order of Models.
	Latency  []Latency `json:"latency"`
	Failures Failures  `json:"failures"`
	// Retiring are the models in use that are retired, that retire within 90 days of Options.Now, and that are deprecated without a date,
	// in this order and then by date.
	Retiring []Retiring `json:"retiring"`
	Top      Top        `json:"top"`
	// Unpriced are the calls whose cost is not known.
	Unpriced Unpriced `json:"unpriced"`
	// Bills are Options.Bills.
	Bills []*bills.Comparison `json:"bills"`
	// Advice is what to do, at most five, the most urgent first.
	Advice []Advice `json:"advice"`
	// Codes are the codes of all advice, also of what Advice leaves out, each once: "retired", "retiring", "budget", "bill", "label",
	// "errors", "unpriced".
	Codes  []string `json:"codes"`
	Errors Errors   `json:"errors"`

	explain bool
}

// Period is a range of time in UTC.
type Period struct {
	// From is the first moment, and To the first one after the last.
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// Days is the number of UTC days that are in the period, in whole or in part.
	Days int `json:"days"`
	// Running reports whether the period ends after Options.Now, so that its last day is not over.
	Running bool `json:"running"`
}

// Source is what was read, of any time.
type Source struct {
	// Paths are the paths of [Read].
	Paths []string `json:"paths"`
	// Copies are the records that do not count, because others of the same calls do, for each file.
	Copies []calls.Copies `json:"copies"`
	// MatchLabels is Options.MatchLabels. All numbers are about the calls that have these labels.
	MatchLabels map[string]string `json:"match_labels,omitempty"`
	// Calls is the number of all calls; the report explains with it why a Period has none.
	Calls int `json:"calls"`
	// First and Last are the times of the first and the last call; zero without calls.
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	// Sessions is about the calls that are of session files; nil without any.
	Sessions *Sessions `json:"sessions,omitempty"`
	// Future is the number of calls after the day of Options.Now, which are in no period that was not given.
	Future int `json:"future"`
	// Now is Options.Now, and Zone the zone of all times, such as "UTC". The times show its clock as if it was UTC, until
	// [Report.InZone] is called.
	Now  time.Time `json:"now"`
	Zone string    `json:"zone"`
	// PricesAsOf and RetirementsAsOf are the dates of the tables; "" if unknown.
	PricesAsOf      string `json:"prices_as_of"`
	RetirementsAsOf string `json:"retirements_as_of"`
}

// Sum adds up calls.
type Sum struct {
	// Calls is the number of all calls, each try of a request counted.
	Calls int `json:"calls"`
	// Failed calls have a status that is neither 0 nor 2xx, or no status, no usage and a reason for an unknown cost.
	Failed int `json:"failed"`
	// Unpriced is the number of calls whose cost is not known. They are in no USD.
	Unpriced int `json:"unpriced"`
	// Bounded is the number of unpriced calls that have a lower bound, and BoundUSD its sum: what they cost at least, beside USD.
	Bounded  int        `json:"bounded"`
	BoundUSD prices.USD `json:"bound_usd"`
	// USD is the exact sum of the known costs.
	USD prices.USD `json:"usd"`
	// SubscriptionUSD is the part of USD that is the list price of calls of a subscription, and not a charge.
	SubscriptionUSD prices.USD `json:"subscription_usd"`
	// Counted is the number of calls with a known cost and a status of 2xx or none, and PerCallUSD the mean of their costs, rounded
	// half to even to 12 places; "" without such calls.
	Counted    int        `json:"counted"`
	PerCallUSD prices.USD `json:"per_call_usd"`
	// Input is all input: not cached, read from caches and written to them. Cached is what was read from caches, Written what was written to them.
	Input   int64 `json:"input"`
	Cached  int64 `json:"cached"`
	Written int64 `json:"written"`
	Output  int64 `json:"output"`
}

// Row is a row of a table: the calls with the same value, in Period and in Previous.
type Row struct {
	// Value is what the calls have in common; "" is without it.
	Value string `json:"value"`
	// Others marks the row of all values that have none of their own, and Values is their number; 0 in other rows.
	Others bool `json:"others,omitempty"`
	Values int  `json:"values,omitempty"`
	Sum
	Previous Sum `json:"previous"`
	// ChangeUSD is USD less Previous.USD, and Change the same as a fraction of Previous.USD.
	ChangeUSD prices.USD `json:"change_usd"`
	Change    *float64   `json:"change"`
	// Share is the part of the known cost of all calls.
	Share *float64 `json:"share"`
}

// ModelID identifies a model as the calls name it.
type ModelID struct {
	Provider models.Provider `json:"provider"`
	// Platform is where the model was called; "" is the provider's own API.
	Platform string `json:"platform"`
	Model    string `json:"model"`
}

// ModelRow is the row of a model. Value is its name.
type ModelRow struct {
	ModelID
	Row
}

// Total is the sum of all calls in Period, and in Previous.
type Total struct {
	Row
	// Models and Providers are their numbers in Period.
	Models    int `json:"models"`
	Providers int `json:"providers"`
	Platforms int `json:"platforms"`
	// Priced is the part of the calls whose cost is known, and PreviousPriced the same part of Previous.
	Priced         *float64 `json:"priced"`
	PreviousPriced *float64 `json:"previous_priced"`
	// Comparable reports whether Priced and PreviousPriced differ by at most 0.01. Otherwise costs must not be compared.
	Comparable bool `json:"comparable"`
}

// Days is the cost by day and model.
type Days struct {
	// Models are the models of the columns: up to six with the highest cost. Day.Models has an amount for each, and one more for all others.
	Models []ModelID `json:"models"`
	// Rows has each day of Period since the first call, in order; of more than 800 days, those with calls.
	Rows []Day `json:"rows"`
	// Today is the day of Options.Now if it is not in Period; nil otherwise, and without calls.
	Today *Day `json:"today"`
}

// Day is a UTC day.
type Day struct {
	// Day is such as "2026-11-21".
	Day string `json:"day"`
	Sum
	// PreviousUSD is the known cost of the day that is Period.Days earlier, which after 28 days is the same weekday; "" before the first call.
	PreviousUSD prices.USD `json:"previous_usd"`
	// Models has the known cost of each of Days.Models, and of all others.
	Models []prices.USD `json:"models"`
	// Running reports whether the day is not over.
	Running bool `json:"running"`
}

// Label is the cost by the values of a label.
type Label struct {
	Name string `json:"name"`
	// Values is the number of values in Period and Previous. The value "" is of the calls without the label and is not counted.
	Values int `json:"values"`
	// Rows are at most 200 values, the highest cost first, then Others, and last the calls without the label. Values beyond the
	// first 100,000, or 125,000 of all labels, are in Others; which these are depends on the order of the files.
	Rows []Row `json:"rows"`
	// Folded reports whether there were more values than that.
	Folded bool `json:"folded"`
}

// Errors are the lines, files and records that cannot be read. They are in no number.
type Errors struct {
	Count int `json:"count"`
	// First are the texts of up to 100 errors. They contain nothing of a line.
	First []string `json:"first"`
}

// Options select what a [Report] is about.
type Options struct {
	// From and To are the period, To exclusive. If both are zero, it is the last 28 full UTC days before Now; calls that are all younger are
	// shown with today included. If only To is zero, the period ends with the day of Now; if only From is zero, it begins 28 days before To.
	From, To time.Time
	// MatchLabels selects the calls that have all of these labels, as [calls.Record.HasLabels] reports; nil selects all calls. The report
	// has nothing of other calls: budgets and bills are compared with these, too.
	MatchLabels map[string]string
	// Location is the zone of days and months; nil is UTC. Budgets and bills are in UTC.
	Location *time.Location
	// Explain makes the text say what session files lack.
	Explain bool
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
	// Facts has the retirement dates; nil is [facts.BuiltIn].
	Facts *facts.Facts
	// Prices price calls that have no cost yet, what caches saved, and replacements; nil is the list of Facts.
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

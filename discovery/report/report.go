package report

import (
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
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
	// Bills are Options.Bills beside the calls, in their order.
	Bills []Comparison `json:"bills"`
	// Advice is what to do, at most five, the most urgent first.
	Advice []Advice `json:"advice"`
	// Codes are the codes of all advice, also of what Advice leaves out, each once: "retired", "retiring", "budget", "label", "errors",
	// "unpriced".
	Codes  []string `json:"codes"`
	Errors Errors   `json:"errors"`
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
	// Calls is the number of all calls; the report explains with it why a Period has none.
	Calls int `json:"calls"`
	// First and Last are the times of the first and the last call; zero without calls.
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	// Future is the number of calls after the day of Options.Now, which are in no period that was not given.
	Future int `json:"future"`
	// Now is Options.Now, in UTC.
	Now time.Time `json:"now"`
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
	// Bounded is the number of unpriced calls that have a lower bound, and MoreUSD its sum: what they cost at least, beside USD.
	Bounded int    `json:"bounded"`
	MoreUSD string `json:"more_usd"`
	// USD is the exact sum of the known costs.
	USD string `json:"usd"`
	// SubscriptionUSD is the part of USD that is the list price of calls of a subscription, and not a charge.
	SubscriptionUSD string `json:"subscription_usd"`
	// Counted is the number of calls with a known cost and a status of 2xx or none, and PerCallUSD the mean of their costs, rounded half to
	// even to 12 places; "" without such calls.
	Counted    int    `json:"counted"`
	PerCallUSD string `json:"per_call_usd"`
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
	ChangeUSD string   `json:"change_usd"`
	Change    *float64 `json:"change"`
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

// Week is the known cost of the last seven full days before Options.Now, and of the seven days before.
type Week struct {
	USD         string `json:"usd"`
	PreviousUSD string `json:"previous_usd"`
	// PerDayUSD is USD divided by 7, rounded half to even to 12 places.
	PerDayUSD string   `json:"per_day_usd"`
	Change    *float64 `json:"change"`
}

// Change splits the change of the known cost exactly: USD is More plus Mix plus Dearer.
type Change struct {
	USD string `json:"usd"`
	// More is the change of the number of counted calls times the earlier mean cost.
	More string `json:"more"`
	// Mix is the same by model, with the whole cost of new and ended models, less More.
	Mix string `json:"mix"`
	// Dearer is the rest: other costs per call of the same models. More and Mix are rounded half to even to 12 places.
	Dearer string `json:"dearer"`
	// Models and Labels are the rows that moved most; there is one of Labels for each of Report.Labels.
	Models Movers   `json:"models"`
	Labels []Movers `json:"labels"`
}

// Movers are the rows whose cost changed most, by its size: at most six, and one of Others. Their ChangeUSD add up to Change.USD.
type Movers struct {
	// Name is the name of the label; "model" for models.
	Name string  `json:"name"`
	Rows []Mover `json:"rows"`
}

// Mover is a row that moved.
type Mover struct {
	Value string `json:"value"`
	// Provider and Platform are the provider and the platform of a model.
	Provider models.Provider `json:"provider,omitempty"`
	Platform string          `json:"platform,omitempty"`
	// Others marks the row of all other values, and Values is their number.
	Others    bool   `json:"others,omitempty"`
	Values    int    `json:"values,omitempty"`
	ChangeUSD string `json:"change_usd"`
	// Calls and PreviousCalls are all calls, also those that failed.
	Calls         int `json:"calls"`
	PreviousCalls int `json:"previous_calls"`
}

// Estimate is an amount that is not exact.
type Estimate struct {
	USD string `json:"usd"`
	// Low and High are the range; both are "" if it is not known.
	Low  string `json:"low"`
	High string `json:"high"`
	// Method is how it was made: "weekday-mean", "same-tokens" or "cost-buckets".
	Method string `json:"method"`
}

// The values of Estimate.Method.
const (
	// MethodWeekdayMean is the mean of the same weekday in the last two weeks, for each day that is left. The range is the range of 80 % of
	// the same estimates of earlier days.
	MethodWeekdayMean = "weekday-mean"
	// MethodSameTokens is the price of the same tokens; another model can use more or fewer of them.
	MethodSameTokens = "same-tokens"
	// MethodCostBuckets adds up costs that are sorted in steps of 2 %.
	MethodCostBuckets = "cost-buckets"
)

// Month is a calendar month in UTC, until Options.Now.
type Month struct {
	// Month is such as "2026-11".
	Month string `json:"month"`
	// USD is the known cost until now.
	USD string `json:"usd"`
	// DaysLeft is the number of days until the end, with today.
	DaysLeft int `json:"days_left"`
	// Forecast is what the whole month will cost; nil with less than 14 full days of calls before today. Its range is not known with less
	// than 20 Backtests.
	Forecast *Estimate `json:"forecast"`
	// Backtests is the number of earlier days from which the same forecast was made, and TooLow how many of them were too low. LowError
	// and HighError are the errors of the range: -0.02 if the cost was 2 % less than the forecast.
	Backtests int      `json:"backtests"`
	TooLow    int      `json:"too_low"`
	LowError  *float64 `json:"low_error"`
	HighError *float64 `json:"high_error"`
}

// Budget is what is left of a budget in its present period.
type Budget struct {
	// Text is the budget as it was given, such as "100/month" or "2/day/label:user".
	Text string `json:"text"`
	// LimitUSD, Per ("", "day" or "month") and Label are its parts.
	LimitUSD string `json:"limit_usd"`
	Per      string `json:"per"`
	Label    string `json:"label"`
	// Value is the value of the label that spent most in the present period; "" without a label.
	Value string `json:"value"`
	// SpentUSD is the known cost of the calls of the present day or month, or of all that were read, and what the providers behind
	// OpenRouter bill besides it.
	SpentUSD string `json:"spent_usd"`
	// LeftUSD is the rest, and negative above the limit. PerDayUSD is the rest for each day of the month that is left, with today, rounded
	// half to even to 12 places; "" for other budgets.
	LeftUSD   string `json:"left_usd"`
	PerDayUSD string `json:"per_day_usd"`
	// Over reports whether more than the limit was spent, or will be at the end of the month by the forecast.
	Over bool `json:"over"`
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
	PreviousUSD string `json:"previous_usd"`
	// Models has the known cost of each of Days.Models, and of all others.
	Models []string `json:"models"`
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

// Users is what the users cost by day: the label "user".
type Users struct {
	// Days is the number of days on which a user made a call, added up over all users.
	Days         int `json:"days"`
	PreviousDays int `json:"previous_days"`
	// PerDayUSD is the known cost of labelled calls divided by Days, rounded half to even to 12 places.
	PerDayUSD         string `json:"per_day_usd"`
	PreviousPerDayUSD string `json:"previous_per_day_usd"`
}

// Cache is what caches read and saved.
type Cache struct {
	// Ratio is the part of all input tokens that was read from caches, and PreviousRatio the same part of Previous.
	Ratio         *float64 `json:"ratio"`
	PreviousRatio *float64 `json:"previous_ratio"`
	// SavedUSD is what the calls would have cost more with all cached tokens as input. Writing to caches is dearer than input and counts
	// against it, so it can be negative. WithoutUSD is the known cost of all calls and SavedUSD.
	SavedUSD   string `json:"saved_usd"`
	WithoutUSD string `json:"without_usd"`
	// Calls is the number of calls with cached tokens, and Skipped how many of them are not in SavedUSD, because the price list does not
	// lead to the cost that was recorded.
	Calls   int `json:"calls"`
	Skipped int `json:"skipped"`
	// Models are those with cached tokens, what saved most first.
	Models []CacheRow `json:"models"`
}

// CacheRow is a row of Cache.
type CacheRow struct {
	ModelID
	Others     bool     `json:"others,omitempty"`
	Ratio      *float64 `json:"ratio"`
	USD        string   `json:"usd"`
	SavedUSD   string   `json:"saved_usd"`
	WithoutUSD string   `json:"without_usd"`
}

// Tries are calls that were the first try of a request, or retries.
type Tries struct {
	Calls  int `json:"calls"`
	Failed int `json:"failed"`
	// P50MS and P95MS are percentiles (nearest rank) of the duration of successful, complete calls in milliseconds, with an error of at
	// most 1 %; nil without such calls. Timed is their number.
	Timed int      `json:"timed"`
	P50MS *float64 `json:"p50_ms"`
	P95MS *float64 `json:"p95_ms"`
}

// Latency has the errors and latencies of a model.
type Latency struct {
	ModelID
	Others bool `json:"others,omitempty"`
	// First are the first tries, with the calls of which the try is not known. Retries are known to be retries.
	First   Tries `json:"first"`
	Retries Tries `json:"retries"`
	// Rate is the part of First that failed.
	Rate *float64 `json:"rate"`
}

// Failures are the failed calls.
type Failures struct {
	First   Tries `json:"first"`
	Retries Tries `json:"retries"`
	// Rate is the part of First that failed, and PreviousRate the same part of Previous.
	Rate         *float64 `json:"rate"`
	PreviousRate *float64 `json:"previous_rate"`
	// Statuses has the failed calls by status, the most frequent first. Status 0 is without a response.
	Statuses []Status `json:"statuses"`
}

// Status is an HTTP status and the number of failed calls with it.
type Status struct {
	Status int `json:"status"`
	Calls  int `json:"calls"`
}

// Retiring is a model in use that retires or is retired.
type Retiring struct {
	ModelID
	State models.RetirementState `json:"state"`
	// Date is the last day of the model at its provider, "" without one. Other platforms can have others. Days is the number of days from
	// Options.Now to it, negative for a retired model, and 0 without a date.
	Date string `json:"date"`
	Days int    `json:"days"`
	// Replacement lasts itself: it is not deprecated and does not retire soon. "" means that none is known.
	Replacement string `json:"replacement"`
	Calls       int    `json:"calls"`
	Failed      int    `json:"failed"`
	USD         string `json:"usd"`
	// Same is what the calls that have a known cost would cost with the replacement, at its price now; nil if no such price is known. SameCalls is their
	// number, and SameUSD what they cost.
	Same      *Estimate `json:"same"`
	SameCalls int       `json:"same_calls"`
	SameUSD   string    `json:"same_usd"`
	// Label is the name of the first of Report.Labels, and Values are up to three of its values that use the model most.
	Label  string   `json:"label"`
	Values []string `json:"values"`
}

// Top has the dearest threads and calls.
type Top struct {
	// Threads is the number of values of the label "thread", and ThreadRows the ten with the highest cost.
	Threads    int   `json:"threads"`
	ThreadRows []Row `json:"thread_rows"`
	// Calls are the ten calls with the highest cost.
	Calls []TopCall `json:"calls"`
	// Dearest is what the dearest 1 % of the calls with a known cost cost; nil with less than 100 of them. DearestShare is its part of the total.
	Dearest      *Estimate `json:"dearest"`
	DearestShare *float64  `json:"dearest_share"`
}

// TopCall is a call.
type TopCall struct {
	ModelID
	// ID is the id of the response; "" if it has none.
	ID   string    `json:"id"`
	Time time.Time `json:"time"`
	USD  string    `json:"usd"`
	// Input includes what was read from caches and written to them.
	Input  int64  `json:"input"`
	Output int64  `json:"output"`
	Thread string `json:"thread"`
}

// Unpriced are the calls whose cost is not known, by reason.
type Unpriced struct {
	Calls         int `json:"calls"`
	PreviousCalls int `json:"previous_calls"`
	// Share is their part of all calls.
	Share *float64 `json:"share"`
	// MoreUSD is what they cost at least, as far as that is known, and Bounded the number of calls that it is of.
	MoreUSD string `json:"more_usd"`
	Bounded int    `json:"bounded"`
	// Groups are the reasons, the most frequent first.
	Groups []UnpricedGroup `json:"groups"`
}

// UnpricedGroup is a reason for an unknown cost.
type UnpricedGroup struct {
	// Reason is a code: "model", "period", "tier", "input", "cache_read" and others of [prices.UnpricedError], "broken", "stream-counts",
	// "endpoint", "failed", or "other".
	Reason string `json:"reason"`
	// Text describes the reason, such as "No price for reads from the cache".
	Text string `json:"text"`
	// Fix is what to do, and Command the command for it; "" if there is none. Fixable reports whether the next calls can have a cost.
	Fix     string `json:"fix"`
	Command string `json:"command"`
	Fixable bool   `json:"fixable"`

	Calls         int    `json:"calls"`
	PreviousCalls int    `json:"previous_calls"`
	Bounded       int    `json:"bounded"`
	MoreUSD       string `json:"more_usd"`
	// Models are the models of the calls, the most frequent first.
	Models []ModelCalls `json:"models"`
}

// ModelCalls is a number of calls of a model.
type ModelCalls struct {
	ModelID
	Others bool `json:"others,omitempty"`
	Calls  int  `json:"calls"`
}

// Verdict is what a bill and the calls have in common.
type Verdict string

// The verdicts.
const (
	// VerdictWithin means that they differ by at most the limit, VerdictOver that they differ by more.
	VerdictWithin Verdict = "within"
	VerdictOver   Verdict = "over"
	// VerdictUnknown means that nothing was billed, or that there are no calls.
	VerdictUnknown Verdict = "unknown"
)

// Comparison is a bill beside the calls of its provider and its time. Calls on other platforms are on another bill, and
// calls of a subscription on none.
type Comparison struct {
	Provider models.Provider `json:"provider"`
	From     time.Time       `json:"from"`
	To       time.Time       `json:"to"`
	Verdict  Verdict         `json:"verdict"`
	// Limit is the largest difference of VerdictWithin, as a fraction.
	Limit float64 `json:"limit"`
	// BilledUSD is the sum of the bill, CountedUSD the known cost of the calls, and DifferenceUSD the bill less the calls. Difference is
	// its size as a fraction of the bill.
	BilledUSD     string   `json:"billed_usd"`
	CountedUSD    string   `json:"counted_usd"`
	DifferenceUSD string   `json:"difference_usd"`
	Difference    *float64 `json:"difference"`
	Calls         int      `json:"calls"`
	// Unpriced is the number of calls whose cost is not known, which may explain a difference.
	Unpriced int `json:"unpriced"`
	// Cells is the number of pairs of day and model. Rows are at most six that differ by a cent or more, the largest difference first,
	// and Others all the rest.
	Cells  int             `json:"cells"`
	Rows   []ComparisonRow `json:"rows"`
	Others ComparisonRow   `json:"others"`
}

// ComparisonRow is a day and a model of a bill. Builds of a model have the name of the model.
type ComparisonRow struct {
	Day string `json:"day"`
	// Model is "" for what the bill has without a model; if the whole bill has none, the rows are days.
	Model string `json:"model"`
	// Cells is the number of pairs in the row: 1, except in Others.
	Cells         int    `json:"cells"`
	BilledUSD     string `json:"billed_usd"`
	CountedUSD    string `json:"counted_usd"`
	DifferenceUSD string `json:"difference_usd"`
	Unpriced      int    `json:"unpriced"`
}

// Advice is something to do.
type Advice struct {
	// Code is the rule: one of the constants.
	Code string `json:"code"`
	// Text is one or two sentences. It contains names of the files, unchanged.
	Text string `json:"text"`
	// Command is a command or a call that does it; "" if there is none.
	Command string `json:"command"`
}

// The codes of advice.
const (
	// CodeRetired: at least half of the calls of a retired model fail.
	CodeRetired = "retired"
	// CodeRetiring: a model in use retires within 14 days.
	CodeRetiring = "retiring"
	// CodeBudget: a budget is exceeded, or will be.
	CodeBudget = "budget"
	// CodeLabel: one value of a label has at least a fifth of the increase.
	CodeLabel = "label"
	// CodeErrors: at least 3 % of 100 calls or more failed.
	CodeErrors = "errors"
	// CodeUnpriced: at least 0.5 % of the calls have no known cost for a reason that can be fixed.
	CodeUnpriced = "unpriced"
)

// Errors are the lines, files and records that cannot be read. They are in no number.
type Errors struct {
	Count int `json:"count"`
	// First are the texts of up to 100 errors. They contain nothing of a line.
	First []string `json:"first"`
}

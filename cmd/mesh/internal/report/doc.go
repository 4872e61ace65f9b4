// Package report answers what calls cost, why that changed, and what to do. It reads
// calls files once and returns plain data:
//
//	r, err := report.Read(report.Options{Budgets: []string{"750/month"}}, "calls")
//	fmt.Println(r.Total.USD, r.Total.ChangeUSD)
//	for _, advice := range r.Advice {
//		fmt.Println(advice.Text)
//	}
//
// Build takes records from anywhere. A Report has JSON names and exact amounts, so
// formatting needs no arithmetic. The package sends nothing and does not import net/http.
//
// # Period
//
// The default period is the last 28 full UTC days, which have four of each weekday,
// compared with the 28 days before. If all calls are younger, as in a first run, the
// period starts with the first call and includes today. To choose another period, set
// Options.From and To. Report.Month and Report.Budgets are always about the current month
// and day.
//
// # Amounts
//
// The known cost is the exact sum of recorded costs; calls that have neither a cost nor
// a reason are priced with Options.Prices. Unpriced calls are in no sum: Report.Unpriced
// counts them, with reasons and fixes, and Sum.BoundUSD is their minimum cost. Quotients
// are rounded half to even to 12 places.
//
// # Why it changed
//
// Change has three parts that add up exactly. Let n be the number of successful calls
// with a known cost, and c their mean cost, before (0) and now (1):
//
//	More   = (n₁ − n₀) · c₀
//	Mix    = Σ (n₁ₘ − n₀ₘ) · c₀ₘ over the models m of both periods, + the cost of new models − the cost of ended ones − More
//	Dearer = the rest
//
// If Total.Comparable is false, the unpriced shares differ too much to compare the
// periods.
//
// # Estimates
//
// An Estimate is an inexact amount with its method and, if known, its bounds. A forecast
// adds, for each day left in the month, that weekday's mean in the last two weeks. It has
// no range: in simulations with weekly, growing, doubling and drifting costs, ranges from
// past errors that should have contained 80 % of the months contained 8 to 100 %.
//
// # Advice
//
// Rules have codes. Report.Codes has all codes that apply, and Report.Advice the five
// most urgent texts. A program that fails for some of them calls [Report.Fired].
//
// # Limits
//
// Memory does not grow with the number of calls, except for what calls.Read needs to
// recognize copies. Separate sums are kept for
//
//   - 1,000 models,
//   - 100,000 values per label,
//   - 125,000 values in all labels and threads.
//
// Anything beyond is added to a row marked Others. Names come from the files and can
// contain any character, but are cut after 256 bytes.
package report

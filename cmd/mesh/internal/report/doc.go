// Package report answers what calls cost, why that changed, and what to do. It reads calls files once and returns plain data:
//
//	r, err := report.Read(report.Options{Budgets: []string{"750/month"}}, "calls")
//	fmt.Println(r.Total.USD, r.Total.ChangeUSD)
//	for _, advice := range r.Advice {
//		fmt.Println(advice.Text)
//	}
//
// Build takes records from anywhere. A Report has JSON names and exact amounts; what formats it needs no arithmetic. The package sends
// nothing and does not need net/http.
//
// # Period
//
// A report is about the last 28 full UTC days, which have four of each weekday, and compares them with the 28 days before. Where the
// calls are younger than that, as in a first run, they are all in it, and so is today. Options.From and To choose another period.
// Report.Month and Report.Budgets are about the present month and day, whatever the period is.
//
// # Amounts
//
// The known cost is the exact sum of what was recorded with the calls; calls without a cost are priced with Options.Prices. A call whose
// cost is not known is in no sum: Report.Unpriced counts it, with the reason and what to do, and Sum.BoundUSD is what such calls cost at
// least. Quotients are rounded half to even to 12 places.
//
// # Why it changed
//
// Change has three parts that add up exactly. With n calls that have a cost and did not fail, of a mean cost c, before (0) and now (1):
//
//	More   = (n₁ − n₀) · c₀
//	Mix    = Σ (n₁ₘ − n₀ₘ) · c₀ₘ over the models m of both periods, + the cost of new models − the cost of ended ones − More
//	Dearer = the rest
//
// If Total.Comparable is false, the parts of calls without a known cost differ too much to compare the periods.
//
// # Estimates
//
// What is not exact is an Estimate with its method and, where they are known, its bounds. The forecast of a month adds the mean of the same
// weekday in the last two weeks for each day that is left. It has no range: of simulated costs that repeat by week, grow, double or drift,
// ranges of past errors that should have contained 80 % of the months contained 8 to 100 %, depending on the rule and on the costs.
//
// # Advice
//
// Rules have codes, so that a program can end with an error for some of them: Report.Codes has all that apply, and Report.Advice the
// five most urgent ones.
//
// # Limits
//
// Memory does not grow with the number of calls, beyond what calls.Read needs to recognize copies: 1,000 models, 100,000 values of
// each label and 125,000 of all labels and threads have sums of their own, and names have at most 256 bytes. What is beyond is in the row
// of the others. Names are as in the files, with any character.
package report

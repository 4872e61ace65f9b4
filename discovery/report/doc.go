// Package report answers what calls cost, why that changed, and what to do. It reads calls files once and returns plain data:
//
//	r, err := report.Read(report.Options{Budgets: []string{"750/month"}}, "calls")
//	fmt.Println(r.Total.USD, r.Change.USD, r.Month.Forecast.USD)
//	for _, advice := range r.Advice {
//		fmt.Println(advice.Text)
//	}
//
// The package sends nothing and does not need net/http.
package report

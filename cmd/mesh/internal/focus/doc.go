// Package focus writes the costs of calls, and bills, as CSV rows of the FinOps Open Cost and Usage Specification (FOCUS) 1.2:
//
//	rows := focus.NewCalls(prices.BuiltIn(), "org-1")
//	for record, err := range calls.Read(calls.Options{}, "calls") {
//		if err == nil {
//			err = rows.Add(record) // prices.ErrUnpriced: the call has no row
//		}
//		errs = append(errs, err)
//	}
//	err := rows.WriteCSV(os.Stdout)
//
// A row of calls is one UTC day, provider, platform with region, model, mode, kind of token, unit price, tier of the prompt's length and set
// of labels. Of a call on a platform, such as Bedrock, ProviderName is the platform and PublisherName the developer of the model. Its
// costs are exactly unit price times quantity. The same calls, in any order, give the same bytes. A bill has amounts and no quantities, so
// its rows are priced in dollars. Calls and the bill that has them belong in different files: they are the same money.
//
// The columns that begin with x_ belong to this package.
package focus

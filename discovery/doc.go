// Package discovery requests which models exist, when they retire, what they cost, and what was billed for them.
// It covers OpenAI, DeepSeek, Anthropic, Google's Gemini and xAI, and one public catalog of models.
//
//	c := discovery.Default()
//	list, err := c.ListModels(ctx, discovery.CatalogOptions{Provider: discovery.OpenAI})
//	ok, err := c.IsModelSupported(ctx, "openai/gpt-4o", discovery.CatalogOptions{})
//	balance, err := c.FetchDeepSeekBalance(ctx, discovery.BalanceOptions{})
//
// Make a client with [New], or share one in the whole process with [Default]. Functions that are not methods of a client send no
// request.
//
// # Errors and failures
//
// An operation that fails because of a provider, the network or a missing key returns the empty value and a nil error: a
// program that lists models should not stop because one provider is down. The cause is a [Failure], with a [Reason] for
// programs. It is logged and passed to the handler of [WithFailureHandler]; with [WithStrictErrors] it is returned as an error
// as well:
//
//	var f *discovery.Failure
//	if errors.As(err, &f) && f.Reason == discovery.ReasonRateLimited {
//		time.Sleep(f.RetryAfter)
//	}
//
// A list is never cut short: if its third page fails, the list is empty. An invalid argument, a nil context and a Client that
// was not made with [New] are always an error, a [*ValueError], and nothing is sent.
//
// # The catalog
//
// [Client.ListModels], [Client.IsModelSupported] and [Client.GetModelInfo] use one public catalog, which lists the models of
// many developers. It is cached for 24 hours ([CatalogOptions]). Concurrent callers share one request, and an unchanged catalog
// is not transferred again (ETag). If the catalog is unavailable, the providers' own lists are used instead; if these are empty
// too, the last good catalog is used. An outage is remembered for a minute ([WithOutageTTL]). The catalog has no prices.
// [Client.SaveCatalog] and [Client.LoadCatalog] keep it in a file.
//
// # Names, retirement, prices and calls
//
// What needs no request is in packages of its own: models has names and retirement dates, prices the cost of a call, and calls the
// files of calls and their sums. Package meter counts every call of a program. The first names of those packages are here too.
//
// [Client.Retirements] adds to [models.Retirements] the dates that OpenAI and Anthropic report now. [Client.LivePrices] and
// [Client.UpdatePrices] bring a price list up to date.
//
// # Bills
//
// A balance or a bill is exact, or it is absent: nil, an empty list, or a report that is not Complete. Amounts are added as decimals
// and converted to float64 once, at the end.
//
// Bills come from [Client.FetchOpenAICostBuckets], [Client.FetchAnthropicCostBuckets] and [Client.FetchXAICostBuckets], oldest
// bucket first. A list is the whole window or nothing: it is empty, with one [Failure], if there is no key, a page fails or repeats
// an earlier cursor, buckets overlap or lie outside the window, or an amount or a time is invalid or an amount is not in US dollars.
// [Client.FetchDeepSeekBalance] is the balance of a prepaid account.
//
// [Client.ReconcileOpenAICost], [Client.ReconcileAnthropicCost] and [Client.ReconcileXAICost] compare a bill with an attributed
// amount, which is what was counted; with nil the report has no comparison. A report of a bill that cannot be read is not Complete.
// A window that does not fit the buckets and an attributed amount that is not finite are a [*ValueError], as an invalid query is.
// [ReconciliationReport.WithCalls] compares day by day, and [ReconciliationReport.Compare] states what a difference comes from.
//
// # Keys
//
// A key comes from an argument, else from the function of [WithKey], else from the environment; each [Service] has its variable.
// A key is read at each call and sent in a header, only to its own service; redirects are not followed. It never appears in a
// URL, an error, a log record or a printed value, and is never stored. Admin and management keys can create and delete
// keys and manage a whole organization or team, so they are not used to list models. Fetch bills and balances in a separate job, not in
// a loop and not while a user waits.
//
// # Limits
//
// A request times out after 30 seconds for a list, 15 for a bill and 10 for a balance. A response has at most 32 MiB
// ([WithMaxResponseBytes]) and half a million array elements and map entries. A list of models or SKUs has at most 100 pages. All
// pages of a list together have at most twice the size of a response, and take at most ten times as long as a request.
//
// # Concurrency
//
// All functions and methods are safe for concurrent use. Lookups in a cached catalog take no lock. Results are copies that the
// caller may change.
//
// # Tests
//
// Package discovery/discoverytest serves the catalog and all providers on a local port. With [WithKey] and [WithBaseURL],
// parallel tests use different keys and servers without changing the environment.
package discovery

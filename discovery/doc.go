// Package discovery asks providers for their models, retirement dates, prices and bills.
// It covers OpenAI, DeepSeek, Anthropic, Google's Gemini, xAI, and one public catalog.
//
//	c := discovery.Default()
//	list, err := c.ListModels(ctx, discovery.CatalogOptions{Provider: discovery.OpenAI})
//	ok, err := c.IsModelSupported(ctx, "openai/gpt-4o", discovery.CatalogOptions{})
//	balance, err := c.FetchDeepSeekBalance(ctx, discovery.BalanceOptions{})
//
// Make a client with [New], or share one in the process with [Default]. Only a client's
// methods send requests.
//
// # Failures
//
// If a provider, the network or a missing key makes an operation fail, it returns an
// empty result and a nil error: a program that lists models shouldn't stop because one
// provider is down. The cause is a [Failure], which has a [Reason] for programs. It's
// logged and passed to the handler from [WithFailureHandler]. With [WithStrictErrors],
// it's also returned as an error:
//
//	var f *discovery.Failure
//	if errors.As(err, &f) && f.Reason == discovery.ReasonRateLimited {
//		time.Sleep(f.RetryAfter)
//	}
//
// A list is never cut short: if its third page fails, it's empty.
//
// An invalid argument, a nil context or a Client not made with [New] is always an error,
// a [*ValueError], and nothing is sent.
//
// # Catalog
//
// [Client.ListModels], [Client.IsModelSupported] and [Client.GetModelInfo] use a public
// catalog, which lists models from many developers. It has no prices.
//
// The catalog is cached for 24 hours ([CatalogOptions]). Concurrent callers share a
// request, and an unchanged catalog isn't transferred again (ETag). If the catalog is
// unavailable, the client reads the providers' own lists, and if these are empty, too, it
// uses the last good catalog. An outage is remembered for a minute ([WithOutageTTL]).
// [Client.SaveCatalog] and [Client.LoadCatalog] keep the catalog in a file.
//
// # Other packages
//
// These packages send no requests: models has names and retirement dates, prices computes
// what calls cost, and calls adds up recorded calls from files. Package meter counts a
// program's calls while it runs. Some names from models are also here.
//
// [Client.Retirements] updates [models.Retirements] with dates that OpenAI and Anthropic
// report now. [Client.LivePrices] updates a price list, and
// [Client.UpdateFacts] everything built in.
//
// # Bills
//
// A balance or bill is either exact or absent: nil, an empty list, or a
// [ReconciliationReport] that isn't Complete. Amounts are added as decimals and converted
// to float64 once, at the end.
//
// [Client.FetchOpenAICostBuckets], [Client.FetchAnthropicCostBuckets] and
// [Client.FetchXAICostBuckets] return bills, oldest bucket first. The list covers the
// whole window or is empty, with one [Failure], if
//
//   - the key is missing;
//   - a page fails, or its cursor repeats;
//   - buckets overlap or lie outside the window;
//   - an amount or time is invalid, or an amount isn't in US dollars.
//
// [Client.FetchDeepSeekBalance] returns the balance of a prepaid account.
//
// [Client.ReconcileOpenAICost], [Client.ReconcileAnthropicCost] and
// [Client.ReconcileXAICost] compare a bill with an attributed amount, which is the cost
// you counted. If it's nil, nothing is compared. If the bill can't be read, the
// reconciliation isn't Complete. If the window doesn't fit the buckets, or the attributed
// amount isn't finite, they return a [*ValueError]. [ReconciliationReport.WithCalls]
// compares day by day, and [ReconciliationReport.Compare] explains a difference.
//
// # Keys
//
// A key comes from an argument, or else from [WithKey]'s function, or else from the
// environment. Each [Service] has its variable. Keys are read at each call and sent in a
// header, only to their own service. Redirects aren't followed. A key never appears in a
// URL, an error, a log record or printed value, and is never stored.
//
// Admin and management keys can create and delete keys and manage a whole organization or
// team, so they aren't used to list models. Fetch bills and balances in a separate job,
// not in a loop and not while a user waits.
//
// # Limits
//
// A request times out after 30 seconds for a list, 15 for a bill and 10 for a balance. A
// response may have 32 MiB ([WithMaxResponseBytes]), and half a million array elements
// and map entries. A list of models or SKUs may have 100 pages. All its pages together
// may have twice the size of one response, and take ten times as long as one request.
//
// # Concurrency
//
// All functions and methods may be called concurrently. Lookups in a cached catalog take
// no lock. Results are copies, which the caller may modify.
//
// # Tests
//
// Package discovery/discoverytest serves the catalog and all providers on a local port.
// With [WithKey] and [WithBaseURL], parallel tests can use different keys and servers
// without changing the environment.
package discovery

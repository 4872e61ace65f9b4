// Package discovery answers which models exist, under which names and until when, what they cost, and what was billed for them.
// It covers OpenAI, DeepSeek, Anthropic, Google's Gemini and xAI, and one public catalog of models.
//
//	c := discovery.Default()
//	models, err := c.ListModels(ctx, discovery.CatalogOptions{Provider: discovery.OpenAI})
//	ok, err := c.IsModelSupported(ctx, "openai/gpt-4o", discovery.CatalogOptions{})
//	name := discovery.NormalizeModelID(discovery.Anthropic, "anthropic/claude-opus-4.8") // claude-opus-4-8
//	gone := discovery.IsRetired(discovery.XAI, "x-ai/grok-3")                            // true since 2026-05-16
//
// Make a client with [New] and options, or share the one of the process with [Default]. The functions without a client work
// from tables that are part of the package and send nothing.
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
// An empty value is never a part of a result: a list that breaks off on its third page is empty. An invalid argument is
// always an error, a [*ValueError], and nothing is sent. So are a nil context and a Client that was not made with [New].
//
// # The catalog
//
// [Client.ListModels], [Client.IsModelSupported] and [Client.GetModelInfo] use one public catalog of the models of many
// developers. It is cached for 24 hours ([CatalogOptions]); callers that need it at the same time share one request, and the
// ETag saves sending an unchanged catalog again. When the catalog is unavailable, the providers' own lists take its place, and
// when these are empty as well, the last good catalog. An outage is remembered for a minute ([WithOutageTTL]). The catalog has
// no prices.
//
// A program that runs for a second keeps the catalog in a file: [Client.SaveCatalog] writes it with its ETag and its age, and
// [Client.LoadCatalog] reads it. The program owns the file. A damaged file is an error and changes nothing.
//
// # Model names
//
// Marketplaces and clouds spell the ids of models differently. [NormalizeModelID] returns the id that the provider itself uses,
// without the build; [ProviderOf] returns the provider of an id; [ParseProvider] reads the name of a provider. Normalizing
// drops the build (gpt-4o-2024-05-13 becomes gpt-4o, at another price), so look up the original id first. The lookups in the
// catalog and the registry do that themselves. docs/providers.md has the rules.
//
// # Retirement
//
// [Retirements] is a table of dates, [RetirementsAsOf] its age. [Registry.Check] distinguishes a retired model from one that
// retires later, one that is known without a date, and one that is unknown, and names the replacement:
//
//	status := discovery.Retirements().Check(discovery.OpenAI, "o3", time.Now())
//	if status.State == discovery.StateRetiring {
//		log.Printf("o3 retires on %s; use %s", status.Date, status.Replacement)
//	}
//
// [Client.Retirements] merges the table with what OpenAI and Anthropic report at the moment.
//
// # Money
//
// A price, a balance or a bill is exact, or it is absent: nil, an empty list, or a report that is not Complete. Amounts are
// summed as decimals and become a float64 once, at the end.
//
//   - Prices: [Client.PricingForGeminiModel] and [Client.FetchGeminiPricing] read Google's price list. [PricingForAnthropicModel]
//     is a table whose rows have the day on which they were verified.
//   - Calls: [ParseUsage] reads the usage object of an answer, and [Client.CostOf] computes the cost of the call from
//     [Client.Prices]: your own ([WithPrices]), live ones, or the built-in table ([ListPrices]). A [Ledger] adds costs up by day, and
//     [ReconciliationReport.WithLedger] shows them beside the bill.
//   - Balance: [Client.FetchDeepSeekBalance], and [SpendBetween] for two snapshots.
//   - Bills: [Client.FetchOpenAICostBuckets], [Client.FetchAnthropicCostBuckets] and [Client.FetchXAICostBuckets].
//     [Client.ReconcileOpenAICost], [Client.ReconcileAnthropicCost] and [Client.ReconcileXAICost] compare them with what was
//     counted locally.
//
// # Keys
//
// A key comes from an argument, else from the function of [WithKey], else from the environment:
//
//	ServiceOpenAI           OPENAI_API_KEY
//	ServiceOpenAIAdmin      OPENAI_ADMIN_KEY
//	ServiceDeepSeek         DEEPSEEK_API_KEY, for the balance also the file named by DEEPSEEK_LEGACY_ENV_PATH
//	ServiceAnthropic        ANTHROPIC_API_KEY
//	ServiceAnthropicAdmin   ANTHROPIC_ADMIN_KEY
//	ServiceGemini           GEMINI_API_KEY
//	ServiceCloudBilling     GOOGLE_CLOUD_BILLING_API_KEY, else GOOGLE_CLOUD_API_KEY
//	ServiceXAI              XAI_API_KEY
//	ServiceXAIManagement    XAI_MANAGEMENT_KEY
//
// Keys are read at each call and sent in a header, to the service that they belong to: redirects are never followed. They are in
// no URL, error, log line or printed value, and are stored nowhere. Admin and management keys can manage a whole organization
// and are never sent to a list of models. Fetch bills in a job of their own, not while a user waits.
//
// # Limits
//
// A request for a list takes at most 30 seconds, for a bill 15 and for a balance 10. A response has at most 32 MiB
// ([WithMaxResponseBytes]) and a million array elements and map entries, a list of models at most 100 pages. All pages of a list
// together may have twice the size of a response and take ten times as long as a request. A row of the catalog with more than
// 1,000 aliases or tags is left out.
//
// # Concurrency
//
// Everything is safe for concurrent use. Lookups in a cached catalog take no lock. Results belong to the caller.
//
// # Tests
//
// Package discovery/discoverytest serves the catalog and all providers on a local port. [WithKey] and [WithBaseURL] give a test
// keys and servers of its own, without the environment.
package discovery

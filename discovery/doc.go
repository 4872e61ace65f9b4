// Package discovery answers which models exist, what is known of them, under which names, for how long, what they cost, and
// what was billed.
//
//	c := discovery.Default()
//	models, err := c.ListModels(ctx, discovery.CatalogOptions{Provider: discovery.OpenAI})
//	ok, err := c.IsModelSupported(ctx, "openai/gpt-4o", discovery.CatalogOptions{})
//	discovery.NormalizeModelID(discovery.Anthropic, "anthropic/claude-opus-4.8") // claude-opus-4-8
//	discovery.IsRetired(discovery.XAI, "x-ai/grok-3")                            // true since 2026-05-16
//
// # Empty on failure, never silent
//
// An operation that cannot reach a provider, or has no key for it, returns the empty value and a nil error. What happened
// is a [Failure], with a [Reason] for programs: it goes to the log and to the handler of [WithFailureHandler]. With
// [WithStrictErrors] it is the error too. Without that an error is always a [*ValueError], a mistake of the caller's. An
// empty value is never part of an answer passed off as the whole: a list that breaks off on its third page is no list.
//
// # The catalog
//
// One public catalog lists the models of every developer; it is asked at most once in 24 hours ([CatalogOptions]), however
// many ask at the same time, and with its ETag, so that what has not changed is not sent again. When it is down, the
// providers are asked for their own models, each with its key: OPENAI_API_KEY, DEEPSEEK_API_KEY, ANTHROPIC_API_KEY,
// GEMINI_API_KEY, XAI_API_KEY. When that gives nothing, the last good catalog is used. An outage is remembered for a minute
// ([WithOutageTTL]). The catalog has no prices.
//
// # Names
//
// Every marketplace and cloud spells a model in its own way. [ParseProvider] reads the name of a provider, and
// [NormalizeModelID] turns an id into the one the provider itself uses, without the build. Normalizing forgets the build
// (gpt-4o-2024-05-13 is gpt-4o afterwards, at another price), so look up the id you were given first. A lookup in the
// catalog does that by itself.
//
// # Retirement
//
// The package carries a registry of dates, gathered in November 2026 from the providers' pages and public copies of them.
// [IsRetired] and [RetirementDate] find an id under any of its spellings. A build that the registry does not list has no
// date, even when the id without the build has one. [Client.Retirements] adds what the providers say today.
//
// # Money
//
// A price, a balance or a bill is right or it is not there: nil, an empty list, or a report that is not Complete. Nothing is
// guessed, and nothing partial is passed off as a figure. Amounts are added up exactly and become a float64 once.
//
//   - Prices: [Client.PricingForGeminiModel] and [Client.FetchGeminiPricing] read Google's price list, with
//     GOOGLE_CLOUD_BILLING_API_KEY or GOOGLE_CLOUD_API_KEY. [PricingForAnthropicModel] is a table whose rows say when they were checked.
//   - Balance: [Client.FetchDeepSeekBalance], and [SpendBetween] for two of them.
//   - Bills: [Client.FetchOpenAICostBuckets] with OPENAI_ADMIN_KEY, [Client.FetchXAICostBuckets] with XAI_MANAGEMENT_KEY and
//     XAI_TEAM_ID. [Client.ReconcileOpenAICost] and [Client.ReconcileXAICost] compare them with what was counted.
//
// Admin and management keys can do far more than read bills. They are kept nowhere; do not ask for bills in a hot loop.
//
// # Keys
//
// Keys are read at each call, from the argument or the environment; they travel in headers only, to the host they belong to
// (redirects are never followed), and are in no URL, error, log line or printed value.
//
// # Limits
//
// A request for a list takes at most 30 seconds, for a bill 15 and for a balance 10; a response at most 32 MiB
// ([WithMaxResponseBytes]).
//
// # Concurrency
//
// Everything here is safe for concurrent use. Questions to a catalog that has been read take no lock. What a call returns
// belongs to the caller.
//
// # Tests
//
// The package discovery/discoverytest plays the catalog and all providers on a local port.
//
// # The documents
//
// Comments cite SPEC.md and WIRE.md. These are the source document and the record of the wire, kept by the maintainers;
// docs/conformance.md in the repository maps their rules to names and tests.
package discovery

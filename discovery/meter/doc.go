// Package meter counts a program's calls to model providers, and their cost. It counts in
// an HTTP client's transport, so the program needs no code at its calls:
//
//	m, err := meter.New(meter.WithRecorder(save))
//	c := openai.NewClient(option.WithHTTPClient(m.Client()))
//	…
//	fmt.Println(m.Spent())
//
// It works with every client that takes an [http.Client] or an [http.RoundTripper],
// such as the official SDKs from OpenAI, Anthropic and Google. DeepSeek and xAI use the
// OpenAI APIs.
//
// # What is counted
//
// Each request to an endpoint that costs money gives one [calls.Record], with the
// counts that the provider reported and their cost. If an SDK retries, each attempt is
// a separate call. Reading lists, counting tokens and moderation are free and aren't
// recorded. Nor is a request that failed before it was written. If a path belongs to no
// known API, it's a call if the response has a model or counts.
//
// A call never silently counts as nothing. If its cost is unknown, the Record has no
// USD, and Unpriced has the reason:
//
//   - the program closed a stream early
//   - the endpoint has no counts: speech, videos, batches when they're created
//   - the model has no price
//   - the call used a WebSocket
//   - a transcription is billed by duration
//   - an OpenAI chat stream has no usage; [WithStreamUsage] requests it
//
// A call costs 0 if its response has an error status. If a stream breaks off after counts
// have arrived, the Record has a lower bound, BoundUSD: Anthropic states prompt counts
// first, and Gemini states the counts so far with each event. Contradicting counts also
// give a lower bound. If the platform states a charge, that's the cost, whatever the
// counts are.
//
// # Batches
//
// Batch results aren't the program's calls. Read each line with [prices.ParseResponse]
// and price it with the mode "batch".
//
// # Responses in the background
//
// A response that's created in the background is counted once, when it's fetched
// complete. Until then, and permanently if it's never fetched, it keeps Budget.PerCall
// set aside. If it failed or was canceled without counts, it costs nothing.
//
// The newest 10,000 ids are kept, in memory only. An older response costs PerCall, plus
// its cost if it's fetched after all. A response whose POST the Meter never saw is
// counted, too. [Meter.Follow], [Meter.Restore] and [calls.Sum] count fetches with one
// id within 24 hours as one call.
//
// # Platforms
//
// OpenRouter, Bedrock, Vertex and Azure hosts are known, too. The Record's platform,
// region and profile select the price; docs/providers.md lists what is priced. Use
// [WithEndpoint] for other hosts, such as a proxy, and to state the kind of Azure
// deployments. Azure calls are unpriced without it.
//
// # What the program sees
//
// Response bytes, their order and timing, headers, trailers and errors come from the
// base transport unchanged. Only WithStreamUsage changes a request. Between two reads
// the meter holds at most 64 KiB of a response, and as much again to unpack gzip. If
// the counts take more than 48 KiB, they're unknown. A Record has counts, names and
// times, but no content, query or key.
//
// # Budgets
//
// [WithBudget] refuses calls before they are sent:
//
//	meter.WithBudget(meter.Budget{USD: "10", Per: meter.PeriodDay, Label: "user", PerCall: "0.05"})
//
// A call whose cost stays unknown counts as its lower bound or as PerCall, whichever is
// more. [Meter.Budgets] returns what's left. [WithBudgetWarning] reports a budget that's
// 80 % spent.
//
// A refused call gets a response with status 402 and the API's error body; reading it
// to the end returns a [*BudgetError]. The official SDKs don't retry such a call, and
// errors.As finds the BudgetError in their errors.
//
// A budget counts one [Meter]'s calls. To add other programs and earlier runs, share a
// directory with [Meter.Follow], or pass records to [Meter.Restore].
//
// # Labels
//
// [WithLabel] attaches a label to calls made with a context, and to their records:
//
//	ctx = meter.WithLabel(ctx, "user", user.Name)
//	answer, err := c.Chat.Completions.New(ctx, params)
//
// So a recorder can add up the cost by user, and a handler in
// [github.com/mesh-gateway/mesh-go/client/agent.Serve] can add up the cost by message:
//
//	err := agent.Serve(ctx, node, func(ctx context.Context, m client.MeshMessage) error {
//		return answer(meter.WithLabel(ctx, "message", strconv.FormatInt(m.ID, 10)), m)
//	}, opts)
//
// If the message is in a named thread, the handler's context already has the thread's
// name as the label "thread".
//
// # Records
//
// [calls.OpenLog] writes one JSON line per call, for mesh usage and mesh cost:
//
//	log, err := calls.OpenLog("/var/log/calls")
//	m, err := meter.New(meter.WithRecorder(log.Record))
//	…
//	err = log.Close() // reports records that were not written
//
// [calls.Sum] adds up such files, and [calls.Read] yields their records. [calls.Totals]
// adds up records as they are made, to compare with a bill.
//
// # Errors
//
// Counting never fails a call: errors come from the base transport, or are the
// [*BudgetError] at the end of a refused call's body. Unwritten records are errors from
// their [calls.Log]. An unreadable line is a [*calls.LineError]. Wrong options are a
// [*ValueError] from [New].
//
// # Tests
//
// Package discoverytest answers calls without a network. Its transport serves the
// official provider and platform hosts:
//
//	s := discoverytest.New(t)
//	m, err := meter.New()
//	c := openai.NewClient(option.WithHTTPClient(&http.Client{Transport: m.Transport(s.Transport())}), option.WithAPIKey("example"))
//
// If you use the server's address instead, make it known with [WithEndpoint], for one
// provider. The command mesh meter counts calls from a program in any language.
//
// A Meter and its transports are safe for concurrent use.
package meter

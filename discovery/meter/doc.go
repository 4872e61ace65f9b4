// Package meter counts the calls that a program makes to model providers, and what they cost. It is an [http.RoundTripper], so
// the program needs no code at its calls:
//
//	m, err := meter.New(meter.WithRecorder(save))
//	c := openai.NewClient(option.WithHTTPClient(m.Client()))
//	…
//	fmt.Println(m.Spent())
//
// It works with every client that takes an [http.Client] or an [http.RoundTripper], such as the official SDKs of OpenAI, Anthropic and
// Google. DeepSeek and xAI have the APIs of OpenAI.
//
// # What is counted
//
// Each request to an endpoint that costs money gives one [calls.Record] with the counts that the provider reported and their cost. Each
// attempt of an SDK that repeats requests is a call of its own. Reading lists, counting tokens and moderation are free and have
// no record. A request that failed before it was written has none either. A path that no API of a provider is known to have is that of a
// call if the response has a model or counts.
//
// A call is never counted as nothing: if its cost is not known, the Record has no USD, and Unpriced has the reason. That is so for
// a stream that the program closed early, for endpoints without counts (speech, videos, batches when they are created), for a
// model without a price, for WebSockets, for a transcription that is billed by duration, and for a chat stream of
// OpenAI without usage; [WithStreamUsage] requests it. A call that was answered with an error status costs 0. A stream that breaks
// off has a lower bound, BoundUSD, if counts had arrived: Anthropic states the counts of the prompt first, and Gemini the counts
// so far with each event. So has a response whose counts contradict each other. A charge that the platform states is the cost, whatever the
// counts are.
//
// The results of a batch are not calls of the program. Read each line with [prices.ParseResponse] and price it with the mode
// "batch".
//
// A response that is created in the background is counted when it is fetched complete, once. Until then, and for good if it is never
// fetched, it keeps Budget.PerCall of its budgets. One that failed or was canceled without counts costs nothing. The newest 10,000 ids
// are kept, in memory only: an older response costs PerCall, and its cost as well when it is fetched after all. A response whose POST the
// Meter never saw is counted, too; [Meter.Follow], [Meter.Restore] and [calls.Sum] count the fetches of one id within 24 hours as one call.
//
// # Platforms
//
// The hosts of OpenRouter, Bedrock, Vertex and Azure are known, too. A Record has the platform, the region and the profile, which select
// the price; docs/providers.md has what is priced. [WithEndpoint] names other hosts, such as a proxy, and the kind of Azure's
// deployments, without which its calls are unpriced.
//
// # What the program sees
//
// The bytes of a response, their order and timing, its headers, trailers and errors come from the base transport unchanged. Only
// WithStreamUsage changes a request. Between two reads the meter holds at most 64 KiB of a response, and as much again to unpack
// gzip. The counts of a response with more than 48 KiB of them are not known. A Record has counts, names and times, and no content, query or key.
//
// # Budgets
//
// [WithBudget] refuses calls before they are sent:
//
//	meter.WithBudget(meter.Budget{USD: "10", Per: meter.PeriodDay, Label: "user", PerCall: "0.05"})
//
// A call whose cost stays unknown counts as its lower bound, or as PerCall if that is more. [Meter.Budgets] returns what is left.
//
// A refused call gets a response with status 402 and the error body of the API; reading it to the end returns a [*BudgetError]. The
// official SDKs do not repeat such a call, and errors.As finds the BudgetError in their errors. A budget counts the calls of one
// [Meter]. [Meter.Follow] adds those that other programs, and earlier runs, have written to a folder of calls files, and
// [Meter.Restore] any records. [WithBudgetWarning] reports a budget of which 80 % are spent.
//
// # Labels
//
// [WithLabel] attaches a label to the calls that are made with a context, and the records have it:
//
//	ctx = meter.WithLabel(ctx, "user", user.Name)
//	answer, err := c.Chat.Completions.New(ctx, params)
//
// So a recorder can add up the cost by user, and a handler of [github.com/mesh-gateway/mesh-go/client/agent.Serve] the cost of
// each message:
//
//	err := agent.Serve(ctx, node, func(ctx context.Context, m client.MeshMessage) error {
//		return answer(meter.WithLabel(ctx, "message", strconv.FormatInt(m.ID, 10)), m)
//	}, opts)
//
// The context of such a handler already has the label "thread", with the name of the conversation, if the message is in a named thread.
//
// # Records
//
// [calls.OpenLog] writes the records to files with a line of JSON for each call, which mesh usage and mesh cost read:
//
//	log, err := calls.OpenLog("/var/log/calls")
//	m, err := meter.New(meter.WithRecorder(log.Record))
//	…
//	err = log.Close() // reports records that were not written
//
// [calls.Sum] adds up such files, and [calls.Read] yields their records. [calls.Totals] adds up
// records as they are made, to compare with a bill.
//
// # Errors
//
// Counting never fails a call: it has only the errors of the base transport, and of a refused call the [*BudgetError] at the end of the
// body. A record that cannot be written is an error of its [calls.Log], and a line that cannot be read a [*calls.LineError]. Wrong
// options are a [*ValueError] of [New].
//
// # Tests
//
// Package discoverytest answers the calls of a test without a network. Its transport has the official hosts of providers and platforms:
//
//	s := discoverytest.New(t)
//	m, err := meter.New()
//	c := openai.NewClient(option.WithHTTPClient(&http.Client{Transport: m.Transport(s.Transport())}), option.WithAPIKey("example"))
//
// With the address of the server in place of official hosts, [WithEndpoint] makes it known for one provider. The command mesh meter counts
// the calls of a program in any language.
//
// A Meter and its transports are safe for concurrent use.
package meter

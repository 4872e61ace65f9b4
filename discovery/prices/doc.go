// Package prices computes what calls of models cost. It reads what a response used, prices it exactly, and adds costs up. It sends
// nothing and does not need net/http:
//
//	response, err := prices.ParseResponse(models.OpenAI, body)
//	if response.Complete { // else the cost is not known
//		cost, err := prices.BuiltIn().CostOf(prices.Call{
//			Provider: models.OpenAI, Model: response.Model, Usage: response.Usage, At: time.Now(),
//		})
//		fmt.Println(cost.USD, err) // exact, as a decimal
//	}
//
// # Prices
//
// [BuiltIn] is a list of prices and fees of OpenAI, DeepSeek, Anthropic, Gemini and xAI, with all periods and tiers. [List.With]
// adds your own prices, [List.WithLive] those that a provider publishes now, and [List.WithTable] a newer table. A list is
// immutable. [List.Save] and [Load] keep it in a file. Package discovery requests live prices and newer tables.
//
// # Responses
//
// [ParseResponse] reads a response, a [Stream] its events, and [ParseUsage] a usage object alone. Their counts do not overlap,
// whatever the provider's own counts include.
//
// Their first argument is the form of the body: the provider whose API has it, or a constant such as [FormConverse] for an API of no
// provider. Hosts that are compatible with a provider's API have its form: an answer of OpenRouter is one of OpenAI, and its
// stated cost is the charge:
//
//	response, err := prices.ParseResponse(prices.FormConverse, body)        // Bedrock's Converse
//	response, err := prices.ParseResponse(models.OpenAI, body)              // OpenRouter; Usage.ChargedUSD, Upstream and BYOK are set
//	stream := prices.NewStream(models.Anthropic)                            // Claude in InvokeModelWithResponseStream
//	_, err := io.Copy(stream, res.Body)
//
// # Sums
//
// Package calls adds up calls: its Totals while a program runs, its Sum those of files.
//
// # Errors
//
// A cost is exact, or it is an [*UnpricedError] that names what is missing and matches [ErrUnpriced]. A price that is not known is
// never 0. But the zero [Usage] costs 0, and a response without counts has one: check Response.Complete first. Invalid arguments are
// a [*ValueError]. No error contains a part of a response.
//
// # Limits
//
// The state that is kept of one response has at most 48 KiB; with more its counts are not known.
//
// All functions and methods are safe for concurrent use, except the methods of a Stream.
package prices

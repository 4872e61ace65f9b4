// Package prices computes the exact cost of model calls: it parses a response and prices
// its usage. It sends nothing and does not need net/http:
//
//	response, err := prices.ParseResponse(models.OpenAI, body)
//	if response.Complete { // else the cost is unknown
//		cost, err := prices.BuiltIn().CostOf(prices.Call{
//			Provider: models.OpenAI, Model: response.Model, Usage: response.Usage, At: time.Now(),
//		})
//		fmt.Println(cost.USD, err) // exact, as a decimal
//	}
//
// # Prices
//
// [BuiltIn] lists prices and fees for OpenAI, DeepSeek, Anthropic, Gemini and xAI, with
// all periods and tiers. [List.With] adds your own prices, [List.WithLive] the
// provider's current ones. [Of] makes a list from other facts, such as newer ones. A
// list is immutable. Package discovery requests live prices and newer facts.
//
// # Responses
//
// [ParseResponse] reads a response, a [Stream] its events, and [ParseUsage] a usage
// object alone. Their counts do not overlap, whatever the provider's own counts
// include.
//
// Their first argument names the API whose form the body has. It's a provider, or a
// constant such as [FormConverse]. A compatible host has another company's form:
// OpenRouter answers like OpenAI, and the cost it states is the charge:
//
//	response, err := prices.ParseResponse(prices.FormConverse, body)        // Bedrock's Converse
//	response, err := prices.ParseResponse(models.OpenAI, body)              // OpenRouter; Usage.ChargedUSD, Upstream and BYOK are set
//	stream := prices.NewStream(models.Anthropic)                            // Claude in InvokeModelWithResponseStream
//	_, err := io.Copy(stream, res.Body)
//
// # Sums
//
// [USD.Add] adds two amounts exactly. Package calls adds up calls: Totals while a program
// runs, Sum from files.
//
// # Errors
//
// A cost is exact, or the error is an [*UnpricedError] that names what is missing and
// matches [ErrUnpriced]. An unknown price is never 0. But the zero [Usage] costs 0, and
// a response without counts has one: check Response.Complete first. Invalid arguments
// are a [*ValueError]. No error quotes a response.
//
// # Limits
//
// Reading one response keeps at most 48 KiB. If a response needs more, its counts are
// unknown.
//
// All functions and methods are safe for concurrent use, except Stream methods.
package prices

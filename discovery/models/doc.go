// Package models normalizes model names and knows when models retire. It covers OpenAI,
// DeepSeek, Anthropic, Google's Gemini and xAI, and sends nothing:
//
//	name := models.NormalizeModelID(models.Anthropic, "anthropic/claude-opus-4.8") // claude-opus-4-8
//	gone := models.IsRetired(models.XAI, "x-ai/grok-3")                            // true since 2026-05-16
//	status := models.Retirements().Check(models.OpenAI, "o3", time.Now())
//	if status.State == models.StateRetiring {
//		log.Printf("o3 retires on %s; use %s", status.Date, status.Replacement)
//	}
//
// # Names
//
// Marketplaces and clouds spell model ids differently. [NormalizeModelID] returns the
// provider's own id without its build: gpt-4o-2024-05-13 becomes gpt-4o. A build can
// have other prices and dates than its model, so look up the original id first, as the
// lookups here do. docs/providers.md has the rules.
//
// # Retirement
//
// [Retirements] returns the built-in dates, as of [RetirementsAsOf]. [Registry.Check]
// distinguishes a retired model from one that retires later, one without a date, and an
// unknown one. [Registry.CheckOn] does so for a platform, which has its own dates.
// [github.com/mesh-gateway/mesh-go/discovery.Client.Retirements] adds the dates that
// OpenAI and Anthropic report now.
//
// # Errors
//
// Only [ParseProvider] and parsing a [ModelKey] return errors: a [*ValueError]. An
// unknown provider or model has no date.
//
// All functions are safe for concurrent use.
package models

// Package discovery answers which models exist, under which names, and for how long.
//
//	discovery.NormalizeModelID(discovery.Anthropic, "anthropic/claude-opus-4.8") // claude-opus-4-8
//	discovery.IsRetired(discovery.XAI, "x-ai/grok-3")                            // true since 2026-05-16
//	soon := discovery.Retirements().RetiringWithin(60 * 24 * time.Hour)
//
// # Names
//
// Every marketplace and cloud spells a model in its own way. [ParseProvider] reads the name of a provider, and
// [NormalizeModelID] turns an id into the one the provider itself uses, without the build. Normalizing forgets the build
// (gpt-4o-2024-05-13 is gpt-4o afterwards, at another price), so look up the id you were given first.
//
// # Retirement
//
// The package carries a registry of dates, read from the providers' own pages in November 2026. [IsRetired] and
// [RetirementDate] find an id under any of its spellings. A build that the registry does not list has no date, even when
// the id without the build has one.
package discovery

package discovery

import (
	"maps"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// These names forward to package models, which documents them. They are here because the
// document that this project implements has them in discovery, so its programs compile
// unchanged. New code should use package models.

// Provider is [models.Provider], a company that offers models. Functions accept any
// spelling that [models.ParseProvider] accepts, and results contain one of these
// constants.
type Provider = models.Provider

// Providers.
const (
	OpenAI    = models.OpenAI
	DeepSeek  = models.DeepSeek
	Anthropic = models.Anthropic
	Gemini    = models.Gemini
	XAI       = models.XAI
)

// ModelKey is [models.ModelKey]: a provider and a model id, with the text form
// "openai/gpt-4o".
type ModelKey = models.ModelKey

// Registry maps models to retirement dates (YYYY-MM-DD) or "deprecated".
// [models.Registry] has the same entries, and finds a model under any spelling.
type Registry = map[ModelKey]string

// NormalizeModelID is [models.NormalizeModelID].
func NormalizeModelID(p Provider, id string) string { return models.NormalizeModelID(p, id) }

// NormalizeXAIModelID is [models.NormalizeModelID] for XAI.
func NormalizeXAIModelID(id string) string { return models.NormalizeModelID(XAI, id) }

// NormalizeDeepSeekModelID is [models.NormalizeModelID] for DeepSeek.
func NormalizeDeepSeekModelID(id string) string { return models.NormalizeModelID(DeepSeek, id) }

// IsRetired is [models.IsRetired].
func IsRetired(p Provider, id string) bool { return models.IsRetired(p, id) }

// IsRetiredOn is [models.IsRetiredOn].
func IsRetiredOn(p Provider, id string, day time.Time) bool { return models.IsRetiredOn(p, id, day) }

// RetirementDate is [models.RetirementDate].
func RetirementDate(p Provider, id string) (string, bool) { return models.RetirementDate(p, id) }

// Retirements returns the entries in [models.Retirements], as a copy.
func Retirements() Registry { return maps.Collect(models.Retirements().All()) }

package discovery

import (
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// This file forwards to package models, which documents these names. They stay here
// because programs have used them from the start.

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

// Registry is [models.Registry], which maps a ModelKey to its retirement date
// (YYYY-MM-DD) or "deprecated". IsRetired, IsRetiredOn and RetirementDate look up a
// model, Check and CheckOn report everything known about it, and RetiringWithin lists
// models that retire soon.
type Registry = models.Registry

// NormalizeModelID is [models.NormalizeModelID].
func NormalizeModelID(p Provider, id string) string { return models.NormalizeModelID(p, id) }

// NormalizeXAIModelID is [models.NormalizeXAIModelID].
func NormalizeXAIModelID(id string) string { return models.NormalizeXAIModelID(id) }

// NormalizeDeepSeekModelID is [models.NormalizeDeepSeekModelID].
func NormalizeDeepSeekModelID(id string) string { return models.NormalizeDeepSeekModelID(id) }

// IsRetired is [models.IsRetired].
func IsRetired(p Provider, id string) bool { return models.IsRetired(p, id) }

// IsRetiredOn is [models.IsRetiredOn].
func IsRetiredOn(p Provider, id string, day time.Time) bool { return models.IsRetiredOn(p, id, day) }

// RetirementDate is [models.RetirementDate].
func RetirementDate(p Provider, id string) (string, bool) { return models.RetirementDate(p, id) }

// Retirements is [models.Retirements].
func Retirements() Registry { return models.Retirements() }

package discovery

import (
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// The names of this file are those of package models, which has their documentation. They are here as well, because programs have
// used them from the beginning.

// Provider is [models.Provider], a company that offers models. Functions that take a Provider accept every spelling that
// [models.ParseProvider] accepts; results contain one of the constants.
type Provider = models.Provider

// The providers.
const (
	OpenAI    = models.OpenAI
	DeepSeek  = models.DeepSeek
	Anthropic = models.Anthropic
	Gemini    = models.Gemini
	XAI       = models.XAI
)

// ModelKey is [models.ModelKey], a model of a provider. Its fields are Provider and ID; its methods
// MarshalText and UnmarshalText write and read "openai/gpt-4o".
type ModelKey = models.ModelKey

// Registry is [models.Registry], a map of a ModelKey to its retirement date: YYYY-MM-DD, or "deprecated". Its methods IsRetired,
// IsRetiredOn and RetirementDate look one model up, Check returns all that is known of it, CheckOn does so for a platform, and
// RetiringWithin returns the models that retire soon.
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

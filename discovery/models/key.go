package models

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/retirements"
)

// ModelKey identifies a provider's model. It is the [Registry] key. As text and in JSON
// it is "openai/gpt-4o".
type ModelKey struct {
	Provider Provider
	// ID is the provider's own id, including the build if it has one, as in
	// "gpt-4o-2024-05-13".
	ID string
}

// MarshalText returns the provider and the id, separated by a slash.
func (k ModelKey) MarshalText() ([]byte, error) { return []byte(string(k.Provider) + "/" + k.ID), nil }

// UnmarshalText parses the form of MarshalText. Text without a slash or with an unknown
// provider is a [*ValueError].
func (k *ModelKey) UnmarshalText(text []byte) error {
	name, id, found := strings.Cut(string(text), "/")
	p := modelid.Lookup(name)
	switch {
	case !found:
		return invalid("text", string(text), "must be provider/id")
	case p == nil:
		return invalid("text", name, modelid.Unknown())
	}
	*k = ModelKey{Provider: Provider(p.ID), ID: id}
	return nil
}

func (k ModelKey) internal() retirements.Key {
	return retirements.Key{Provider: string(k.Provider), ID: k.ID}
}

// Deprecated is the entry for a model that will be retired and has no date yet.
const Deprecated = "deprecated"

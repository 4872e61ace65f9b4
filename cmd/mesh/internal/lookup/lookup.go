// Package lookup turns what a person or an agent names into what the packages client and discovery take. It also sends: a message
// to a thread that is named creates the thread. An error of this package that has no type of package client is a name that is wrong
// or cannot be found.
package lookup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Kinds are the kinds of messages.
var Kinds = []string{
	string(client.KindFYI), string(client.KindQuestion), string(client.KindAnswer), string(client.KindStatus), string(client.KindUnblock),
}

// Kind returns the kind of that name, or "" for "".
func Kind(name string) (client.Kind, error) {
	if name != "" && !slices.Contains(Kinds, name) {
		return "", fmt.Errorf("kind %q must be %s", name, alternatives(Kinds))
	}
	return client.Kind(name), nil
}

// ProviderNames returns the names of the providers.
func ProviderNames() []string {
	providers := models.Providers()
	names := make([]string, len(providers))
	for i, p := range providers {
		names[i] = string(p)
	}
	return names
}

// Provider returns the provider of that name, or for "" the one that makes the model.
func Provider(name, model string) (models.Provider, error) {
	if name != "" {
		return models.ParseProvider(name)
	}
	if p, ok := models.ProviderOf(model); ok {
		return p, nil
	}
	return "", fmt.Errorf("the provider of %q cannot be determined; specify openai, deepseek, anthropic, gemini or xai", model)
}

// Catalog returns the options that select the models of a provider, or all models for "".
func Catalog(provider string) (opts discovery.CatalogOptions, err error) {
	if provider != "" {
		opts.Provider, err = models.ParseProvider(provider)
	}
	return opts, err
}

// alternatives returns "a, b or c".
func alternatives(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

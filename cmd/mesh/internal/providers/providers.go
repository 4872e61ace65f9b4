// Package providers finds the provider that a person or an agent means by its name or by that of a model.
package providers

import (
	"fmt"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Names returns the names of the providers.
func Names() []string {
	providers := models.Providers()
	names := make([]string, len(providers))
	for i, p := range providers {
		names[i] = string(p)
	}
	return names
}

// Of returns the provider of that name, or for "" the one that makes the model.
func Of(name, model string) (models.Provider, error) {
	if name != "" {
		return models.ParseProvider(name)
	}
	if p, ok := models.ProviderOf(model); ok {
		return p, nil
	}
	return "", fmt.Errorf("the provider of %q cannot be determined; specify openai, deepseek, anthropic, gemini or xai", model)
}

// Priced returns the provider of that name, which may be a name of the user's prices, or for "" the one that makes the model. If none
// is known to make it, it is the only one that has a price of the user's for it.
func Priced(list *prices.List, registry models.Registry, name, model string) (models.Provider, error) {
	p, err := Of(name, model)
	if err == nil {
		return p, nil
	}
	var own []string
	for _, p := range list.Providers() {
		switch {
		case name != "" && strings.EqualFold(string(p), name):
			return p, nil
		case name == "" && len(list.ForModel(p, model)) > 0:
			own = append(own, string(p))
		}
	}
	switch {
	case len(own) == 1:
		return models.Provider(own[0]), nil
	case len(own) > 1:
		return "", fmt.Errorf("several providers have prices of %q; specify --provider %s", model, strings.Join(own, " or "))
	case name == "" && len(Similar(list, registry, "", model, time.Now())) > 0:
		return "", Unlisted(list, registry, "", model)
	}
	return "", err
}

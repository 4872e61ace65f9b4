// Package providers finds the provider that a name or a model means.
package providers

import (
	"fmt"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Names returns all provider names.
func Names() []string {
	providers := models.Providers()
	names := make([]string, len(providers))
	for i, p := range providers {
		names[i] = string(p)
	}
	return names
}

// Of returns the named provider, or for "" the one that makes the model.
func Of(name, model string) (models.Provider, error) {
	if name != "" {
		return models.ParseProvider(name)
	}
	if p, ok := models.ProviderOf(model); ok {
		return p, nil
	}
	return "", fmt.Errorf("unknown provider for %q; specify openai, deepseek, anthropic, gemini or xai", model)
}

// Priced is [Of] with the user's own price files: it also accepts provider names in list,
// and for an unknown model the only provider that prices it.
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
		return "", fmt.Errorf("several providers price %q; specify --provider %s", model, strings.Join(own, " or "))
	case name == "" && len(Similar(list, registry, "", model, time.Now())) > 0:
		return "", Unlisted(list, registry, "", model)
	}
	return "", err
}

package lookup

import (
	"fmt"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Priced returns the provider of that name, which may be a name of the user's prices, or for "" the one that makes the model. If none
// is known to make it, it is the only one that has a price of the user's for it.
func Priced(list *prices.List, name, model string) (models.Provider, error) {
	p, err := Provider(name, model)
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
	}
	return "", err
}

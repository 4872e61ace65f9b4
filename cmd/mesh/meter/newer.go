package meter

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// warnOfNewer returns a recorder that warns of the first call of a model that is newer than the price table.
func (o *Options) warnOfNewer(list *prices.List) func(calls.Record) {
	var once sync.Once
	return func(r calls.Record) {
		if r.USD == "" && isNewer(list, r.Provider, r.Model) {
			once.Do(func() {
				o.Warn(fmt.Errorf("%s/%s is not in the price table of %s and may be newer; mesh prices --update gets the newest table",
					r.Provider, r.Model, app.TableAge(list.AsOf())))
			})
		}
	}
}

// isNewer reports whether an id has the form of the provider's own ids and is in no table. A fine-tune is not in a table either.
func isNewer(list *prices.List, p models.Provider, model string) bool {
	owner, ok := models.ProviderOf(model)
	if !ok || owner != p || strings.HasPrefix(strings.ToLower(model), "ft:") || len(list.ForModel(p, model)) > 0 {
		return false
	}
	return models.Retirements().Check(p, model, time.Now()).State == models.StateUnknown
}

package calls

import (
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Call returns the call for [prices.List.CostOf]. Its Usage has the counts of r.Usage, whatever API they are of, and r.Requests. A
// Provider that is missing is the developer of the model, except on a Platform. The error is the error of [prices.ParseUsage].
func (r Record) Call() (prices.Call, error) {
	p := r.Provider
	if known, err := models.ParseProvider(string(p)); err == nil { // in its own spelling
		p = known
	} else if p == "" && r.Platform == "" {
		p, _ = models.ProviderOf(r.Model)
	}
	used, err := prices.ParseUsage(models.Provider(modelid.FormOf(r.API, string(p))), r.Usage)
	return r.call(p, used, err), err
}

// call returns the call of a provider with a usage. err is why the usage is not known.
func (r *Record) call(p models.Provider, used prices.Usage, err error) prices.Call {
	call := prices.Call{Provider: p, Model: r.Model, At: r.Time, Mode: r.Mode, Usage: used}
	if r.Platform != "" {
		call.Platform, call.Profile = prices.Platform(r.Platform), r.Profile
		call.Region = endpoints.PriceRegion(r.Platform, r.Region, r.Path)
	}
	if err == nil && r.Requests != nil { // what the response had beside its usage object is in it
		call.Usage.Requests = r.Requests
	}
	(*usage.Usage)(&call.Usage).SetPath(r.Path)
	return call
}

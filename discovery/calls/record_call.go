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
	call := prices.Call{Provider: r.Provider, Model: r.Model, At: r.Time, Mode: r.Mode}
	if p, err := models.ParseProvider(string(r.Provider)); err == nil { // in its own spelling
		call.Provider = p
	}
	if r.Platform != "" {
		call.Platform, call.Profile = prices.Platform(r.Platform), r.Profile
		call.Region = endpoints.PriceRegion(r.Platform, r.Region, r.Path)
	} else if r.Provider == "" {
		call.Provider, _ = models.ProviderOf(r.Model)
	}
	var err error
	call.Usage, err = prices.ParseUsage(models.Provider(modelid.FormOf(r.API, string(call.Provider))), r.Usage)
	if err == nil && r.Requests != nil { // what the response had beside its usage object is in it
		call.Usage.Requests = r.Requests
	}
	(*usage.Usage)(&call.Usage).SetPath(r.Path)
	return call, err
}

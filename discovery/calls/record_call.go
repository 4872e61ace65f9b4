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
	if err != nil {
		used = prices.Usage{}
	}
	var call prices.Call
	if wrong := r.call(&call, p, used); err == nil {
		err = wrong
	}
	return call, err
}

// maxRequests bounds the uses of a tool, as the counts of tokens are bounded.
const maxRequests = 1 << 53

// call sets the call of a provider with a usage. The error is of the uses of tools.
func (r *Record) call(call *prices.Call, p models.Provider, used prices.Usage) error {
	call.Provider, call.Model, call.At, call.Mode, call.Usage = p, r.Model, r.Time, r.Mode, used
	if r.Platform != "" {
		call.Platform, call.Profile = prices.Platform(r.Platform), r.Profile
		call.Region = endpoints.PriceRegion(r.Platform, r.Region, r.Path)
	}
	(*usage.Usage)(&call.Usage).SetPath(r.Path)
	if r.Requests == nil { // what the response had beside its usage object is in it
		return nil
	}
	call.Usage.Requests = r.Requests
	for _, n := range r.Requests {
		if n < 0 || n > maxRequests {
			return errLine
		}
	}
	return nil
}

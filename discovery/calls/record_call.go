package calls

import (
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Call returns the call for [prices.List.CostOf]. Its Usage has the Counts, which are those of r.Usage, whatever API they are of, and
// r.Requests. A Provider that is missing is the developer of the model, except on a Platform. The error is the error of
// [prices.ParseUsage].
func (r Record) Call() (call prices.Call, err error) {
	r.Provider = r.developer()
	if !r.HasCounts {
		r.Counts, err = prices.ParseUsage(r.form(), r.Usage)
		if wrong := r.complete(); err == nil {
			err = wrong
		}
	}
	return r.call(), err
}

// call is Record.Call of a record that has its Counts.
func (r *Record) call() prices.Call {
	call := prices.Call{Provider: r.Provider, Model: r.Model, At: r.Time, Mode: r.Mode, Usage: r.Counts}
	if r.Platform != "" {
		call.Platform, call.Profile = prices.Platform(r.Platform), r.Profile
		call.Region = endpoints.PriceRegion(r.Platform, r.Region, r.Path)
	}
	return call
}

// developer returns the provider in its own spelling. One that is missing is the developer of the model, except on a Platform.
func (r *Record) developer() models.Provider {
	if known, err := models.ParseProvider(string(r.Provider)); err == nil {
		return known
	}
	if r.Provider == "" && r.Platform == "" {
		p, _ := models.ProviderOf(r.Model)
		return p
	}
	return r.Provider
}

// form returns the form of Usage, whose provider is in its own spelling.
func (r *Record) form() models.Provider {
	return models.Provider(modelid.FormOf(r.API, string(r.Provider)))
}

// maxRequests bounds the uses of a tool, as the counts of tokens are bounded.
const maxRequests = 1 << 53

// complete adds to Counts what the usage object does not have. The error is of the uses of tools.
func (r *Record) complete() error {
	(*usage.Usage)(&r.Counts).SetPath(r.Path)
	if r.Requests == nil { // what the response had beside its usage object is in it
		return nil
	}
	r.Counts.Requests = r.Requests
	for _, n := range r.Requests {
		if n < 0 || n > maxRequests {
			return errLine
		}
	}
	return nil
}

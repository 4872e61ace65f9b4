package meter

import (
	"net/http"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
)

// outside counts a request to a host that the Meter does not know, and returns what it is for. The call of a model has no record, since
// nothing is known of what it costs, but it costs Budget.PerCall.
func (m *Meter) outside(req *http.Request) endpoints.Target {
	m.ignore(req.URL.Host)
	form, calls := endpoints.Model(req.Method, req.URL.Path)
	return endpoints.Target{Endpoint: endpoints.Endpoint{Form: form}, API: endpoints.API{Free: !m.setsAside() || !calls}}
}

package meter

import (
	"net/http"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// outside counts a request to a host that the Meter does not know, and returns what it is for. The call of a model has no record, since
// nothing is known of what it costs, but it costs Budget.PerCall.
func (m *Meter) outside(req *http.Request) endpoints.Target {
	m.ignore(req.URL.Host)
	return endpoints.Target{
		Endpoint: endpoints.Endpoint{Form: outsideForm(req.URL.Path)},
		API:      endpoints.API{Free: !m.setsAside() || !endpoints.CallsModel(req.Method, req.URL.Path)},
	}
}

// outsideForm returns the form of errors that a client of the path reads.
func outsideForm(path string) string {
	switch {
	case endpoints.GeminiForm(path):
		return string(models.Gemini)
	case endpoints.HasSegments(path, "messages"):
		return string(models.Anthropic)
	}
	return string(models.OpenAI)
}

// receiveOutside ends a call of a host that the Meter does not know: a response with an error status costs nothing.
func (c *call) receiveOutside(status int) {
	r := c.record(status)
	if !endpoints.Bills(status) {
		r.USD = "0"
	}
	c.finish(r)
}

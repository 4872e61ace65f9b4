package meter

import (
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// outside counts a request to a host that the Meter does not know, and returns its API. The call of a model has no record, since
// nothing is known of what it costs, but it costs Budget.PerCall.
func (m *Meter) outside(req *http.Request) api {
	m.ignore(req.URL.Host)
	return api{free: !m.setsAside() || !callsModel(req.Method, req.URL.Path)}
}

// callsModel reports whether a request calls a model, judging by the paths that the providers' APIs have. Requests with other paths
// may be anything.
func callsModel(method, path string) bool {
	if method != http.MethodPost {
		return false
	}
	path = strings.TrimSuffix(path, "/")
	if geminiForm(path) {
		return true
	}
	for _, e := range endpoints {
		if hasSegments(path, e.path) {
			return !e.api.free && !e.api.stored
		}
	}
	return false
}

// geminiForm reports whether a path has the form models/gemini-3.6-flash:generateContent.
func geminiForm(path string) bool {
	return strings.HasSuffix(path, "enerateContent") || strings.HasSuffix(path, "mbedContent") || strings.HasSuffix(path, ":batchEmbedContents")
}

// outsideForm returns the provider whose form of errors a client of the path reads.
func outsideForm(path string) discovery.Provider {
	switch {
	case geminiForm(path):
		return discovery.Gemini
	case hasSegments(path, "messages"):
		return discovery.Anthropic
	}
	return discovery.OpenAI
}

// receiveOutside ends a call of a host that the Meter does not know: a response with an error status costs nothing.
func (c *call) receiveOutside(status int) {
	r := c.record(status)
	if !successful(status) {
		r.USD = "0"
	}
	c.finish(r)
}

package discoverytest

import (
	_ "embed"
	"net/http"

	"github.com/mesh-gateway/mesh-go/discovery"
)

//go:embed xai.json
var xaiModels []byte

// xaiRoute is xAI's list of models (WIRE.md section 7): no pages; aliases, context_length and prices are not on every row.
func (s *Server) xaiRoute() route {
	rows := readRows(xaiModels)
	return route{
		op: ListXAIModels, service: discovery.ServiceXAI, pattern: "GET /v1/models",
		keyHeader: "Authorization", refuse: refuseXAI,
		run: func(*http.Request) answer { return ok(object{"object": "list", "data": rows}) },
	}
}

// refuseXAI answers 401 when there is no key, and 400 when it is a wrong one, as docs.x.ai/developers/debugging says
// ("An incorrect API key was supplied" stands under 400) and many reports show, with this body. Its error is a text.
func refuseXAI(key string) answer {
	if key == "" {
		return answer{Status: http.StatusUnauthorized, Body: object{
			"code": "unauthenticated:no-credentials", "error": "No credentials provided",
		}}
	}
	return answer{Status: http.StatusBadRequest, Body: object{
		"code":  "Client specified an invalid argument",
		"error": "Incorrect API key provided: " + ends(key, 2, 2) + ". You can obtain an API key from https://console.x.ai.",
	}}
}

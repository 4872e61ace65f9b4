package discoverytest

import (
	_ "embed"
	"net/http"

	"github.com/mesh-gateway/mesh-go/discovery"
)

//go:embed xai.json
var xaiModels []byte

// xaiRoute serves xAI's models: not paged; aliases, context_length and prices are not in every row.
func (s *Server) xaiRoute() route {
	rows := readRows(xaiModels)
	return route{
		op: ListXAIModels, service: discovery.ServiceXAI, pattern: "GET /v1/models",
		keyHeader: "Authorization", refuse: refuseXAI,
		run: func(*http.Request) answer { return ok(object{"object": "list", "data": rows}) },
	}
}

//go:embed xai_language_models.json
var xaiLanguageModels []byte

// xaiLanguageModelsRoute serves xAI's language models with their prices: not paged; the prices of cached input and of long
// prompts are not in every row.
func (s *Server) xaiLanguageModelsRoute() route {
	rows := readRows(xaiLanguageModels)
	return route{
		op: ListXAILanguageModels, service: discovery.ServiceXAI, pattern: "GET /v1/language-models",
		keyHeader: "Authorization", refuse: refuseXAI,
		run: func(*http.Request) answer { return ok(object{"models": rows}) },
	}
}

// refuseXAI refuses a missing key with 401 and a wrong one with 400, as xAI documents. The error is a string.
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

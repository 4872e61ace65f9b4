package discoverytest

import (
	_ "embed"
	"net/http"

	"github.com/mesh-gateway/mesh-go/discovery"
)

//go:embed openai.json
var openAIModels []byte

// openAIRoute serves OpenAI's models: not paged, with a shutdown_date that is a date, null or absent.
func (s *Server) openAIRoute() route {
	rows := readRows(openAIModels)
	return route{
		op: ListOpenAIModels, service: discovery.ServiceOpenAI, pattern: "GET /v1/models",
		keyHeader: "Authorization", refuse: refuseOpenAI,
		run: func(*http.Request) answer { return ok(object{"object": "list", "data": rows}) },
	}
}

// refuseOpenAI echoes the beginning and the end of a wrong key.
func refuseOpenAI(key string) answer {
	message, code := any("Incorrect API key provided: "+ends(key, 7, 4)+". You can find your API key at https://platform.openai.com/account/api-keys."), any("invalid_api_key")
	if key == "" {
		message, code = "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.", nil
	}
	return answer{Status: http.StatusUnauthorized, Body: object{"error": object{
		"message": message, "type": "invalid_request_error", "param": nil, "code": code,
	}}}
}

// ends returns the first and last characters of a key, or no character of a short one.
func ends(key string, first, last int) string {
	if len(key) <= first+last {
		return "***"
	}
	return key[:first] + "***" + key[len(key)-last:]
}

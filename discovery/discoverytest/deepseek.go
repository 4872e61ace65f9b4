package discoverytest

import (
	_ "embed"
	"net/http"

	"github.com/mesh-gateway/mesh-go/discovery"
)

//go:embed deepseek.json
var deepSeekModels []byte

// deepSeekRoute serves DeepSeek's models: not paged, with rows in the current and in the older form.
func (s *Server) deepSeekRoute() route {
	rows := readRows(deepSeekModels)
	return route{
		op: ListDeepSeekModels, service: discovery.ServiceDeepSeek, pattern: "GET /models",
		keyHeader: "Authorization", refuse: refuseDeepSeek,
		run: func(*http.Request) answer { return ok(object{"object": "list", "data": rows}) },
	}
}

// refuseDeepSeek echoes the last four characters of the key. The code is not related to the status.
func refuseDeepSeek(key string) answer {
	message := "Authentication Fails, Your api key: *" + ends(key, 0, 4) + " is invalid"
	if key == "" {
		message = "Authentication Fails, no api key is given"
	}
	return answer{Status: http.StatusUnauthorized, Body: object{"error": object{
		"message": message, "type": "authentication_error", "param": nil, "code": "invalid_request_error",
	}}}
}

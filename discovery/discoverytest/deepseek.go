package discoverytest

import (
	_ "embed"
	"net/http"

	"github.com/mesh-gateway/mesh-go/discovery"
)

//go:embed deepseek.json
var deepSeekModels []byte

// deepSeekRoute is DeepSeek's list of models (WIRE.md section 4): no pages, rows of today's shape and of the older one.
func (s *Server) deepSeekRoute() route {
	rows := readRows(deepSeekModels)
	return route{
		op: ListDeepSeekModels, service: discovery.ServiceDeepSeek, pattern: "GET /models",
		keyHeader: "Authorization", refuse: refuseDeepSeek,
		run: func(*http.Request) answer { return ok(object{"object": "list", "data": rows}) },
	}
}

// refuseDeepSeek echoes the last four characters of the key. The code has nothing to do with the status.
func refuseDeepSeek(key string) answer {
	message := "Authentication Fails, Your api key: *" + ends(key, 0, 4) + " is invalid"
	if key == "" {
		message = "Authentication Fails, no api key is given"
	}
	return answer{Status: http.StatusUnauthorized, Body: object{"error": object{
		"message": message, "type": "authentication_error", "param": nil, "code": "invalid_request_error",
	}}}
}

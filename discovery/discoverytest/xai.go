package discoverytest

import (
	_ "embed"
	"net/http"
)

// xaiModels have aliases, context_length and prices, but not in every row.
//
//go:embed xai.json
var xaiModels []byte

// xaiLanguageModels have prices; those of cached input and of long prompts are not in every row.
//
//go:embed xai_language_models.json
var xaiLanguageModels []byte

// refuseXAI refuses a missing key with 401 and a wrong one with 400, as xAI documents. The error is a string.
func refuseXAI(key string) answer {
	if key == "" {
		return xaiError(http.StatusUnauthorized, "unauthenticated:no-credentials", "No credentials provided")
	}
	return badXAIRequest("Incorrect API key provided: " + ends(key, 2, 2) + ". You can obtain an API key from https://console.x.ai.")
}

func badXAIRequest(message string) answer {
	return xaiError(http.StatusBadRequest, "Client specified an invalid argument", message)
}

func xaiError(status int, code, message string) answer {
	return answer{Status: status, Body: object{"code": code, "error": message}}
}

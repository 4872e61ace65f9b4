package discoverytest

import (
	_ "embed"
	"net/http"
)

// openAIModels have a shutdown_date that is a date, null or absent.
//
//go:embed openai.json
var openAIModels []byte

// refuseOpenAI echoes the beginning and the end of a wrong key.
func refuseOpenAI(key string) answer {
	message, code := "Incorrect API key provided: "+ends(key, 7, 4)+". You can find your API key at https://platform.openai.com/account/api-keys.", any("invalid_api_key")
	if key == "" {
		message, code = "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.", nil
	}
	return openAIError(http.StatusUnauthorized, "invalid_request_error", message, nil, code)
}

func badOpenAIRequest(message string) answer {
	return openAIError(http.StatusBadRequest, "invalid_request_error", message, nil, nil)
}

func openAIError(status int, kind, message string, param, code any) answer {
	return answer{Status: status, Body: object{"error": object{"message": message, "type": kind, "param": param, "code": code}}}
}

// ends returns the first and last characters of a key, or no character of a short one.
func ends(key string, first, last int) string {
	if len(key) <= first+last {
		return "***"
	}
	return key[:first] + "***" + key[len(key)-last:]
}

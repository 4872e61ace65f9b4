package discoverytest

import (
	_ "embed"
	"net/http"
)

// deepSeekModels has rows in the current and in the older form.
//
//go:embed deepseek.json
var deepSeekModels []byte

// deepSeekBalance has both currencies, with every amount in quotes.
const deepSeekBalance = `{"is_available": true, "balance_infos": [
	{"currency": "CNY", "total_balance": "110.00", "granted_balance": "10.00", "topped_up_balance": "100.00"},
	{"currency": "USD", "total_balance": "42.50", "granted_balance": "2.50", "topped_up_balance": "40.00"}
]}`

// refuseDeepSeek echoes the last four characters of the key. The code is not related to the status.
func refuseDeepSeek(key string) answer {
	message := "Authentication Fails, Your api key: *" + ends(key, 0, 4) + " is invalid"
	if key == "" {
		message = "Authentication Fails, no api key is given"
	}
	return openAIError(http.StatusUnauthorized, "authentication_error", message, nil, "invalid_request_error")
}

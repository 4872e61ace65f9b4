package discoverytest

import (
	"net/http"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// balanceRoute serves DeepSeek's balance in both currencies, with every amount in quotes.
func (s *Server) balanceRoute() route {
	return route{
		op: GetDeepSeekBalance, service: discovery.ServiceDeepSeek, pattern: "GET /user/balance",
		keyHeader: "Authorization", refuse: refuseDeepSeek,
		run: func(*http.Request) answer {
			return ok(object{"is_available": true, "balance_infos": []object{
				{"currency": "CNY", "total_balance": "110.00", "granted_balance": "10.00", "topped_up_balance": "100.00"},
				{"currency": "USD", "total_balance": "42.50", "granted_balance": "2.50", "topped_up_balance": "40.00"},
			}})
		},
	}
}

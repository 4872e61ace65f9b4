package discoverytest

import (
	"net/http"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// StandardPrices returns the price table that the server has at first: the built-in one of package prices.
func StandardPrices() string {
	table, _ := prices.BuiltIn().Table()
	return table
}

// SetPrices replaces the price table, and with it its ETag. The text is served unchanged, so that it can be damaged.
func (s *Server) SetPrices(table string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prices = table
}

// getPrices returns the table as text, or 304 when the client has it.
func (s *Server) getPrices(r *http.Request) answer {
	s.mu.Lock()
	table := s.prices
	s.mu.Unlock()
	return unlessMatched(r, []byte(table), answer{Status: http.StatusOK, Text: table})
}

// getConfirmed returns no days.
func getConfirmed(*http.Request) answer {
	return answer{Status: http.StatusOK, Text: "provider,model_id,above,valid_from,mode,modality,confirmed_at\n"}
}

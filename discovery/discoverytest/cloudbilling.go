package discoverytest

import (
	_ "embed"
	"net/http"
)

// cloudBillingSKUs are 46 recorded SKUs of 597, in ten styles of description.
//
//go:embed cloudbilling.json
var cloudBillingSKUs []byte

// geminiService is the only service with SKUs.
const geminiService = "AEFD-7695-64FA"

// listSKUs returns the price list of Gemini in pages, with an empty token on the last one, in US dollars only.
func (s *Server) listSKUs(r *http.Request) answer {
	if r.PathValue("service") != geminiService {
		return cloudBilling.fail(http.StatusNotFound, "unknown service", nil)
	}
	query := r.URL.Query()
	cut, next, valid := s.googlePage(query, readRows(cloudBillingSKUs), "skuId", 5000, 5000)
	if currency := query.Get("currencyCode"); !valid || (currency != "" && currency != "USD") {
		return cloudBilling.bad("Request contains an invalid argument.")
	}
	return answer{Status: http.StatusOK, Header: googleJSON, Body: object{"skus": cut, "nextPageToken": next}}
}

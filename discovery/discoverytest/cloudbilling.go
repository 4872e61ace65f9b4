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
		return googleError(http.StatusNotFound, object{"message": "Requested entity was not found.", "status": "NOT_FOUND"})
	}
	query := r.URL.Query()
	cut, next, valid := s.googlePage(query, readRows(cloudBillingSKUs), "skuId", 5000, 5000)
	if currency := query.Get("currencyCode"); !valid || (currency != "" && currency != "USD") {
		return badGoogleRequest("Request contains an invalid argument.")
	}
	return answer{Status: http.StatusOK, Header: googleJSON, Body: object{"skus": cut, "nextPageToken": next}}
}

// refuseBilling refuses a wrong key with 400 and a missing one with 403.
func refuseBilling(key string) answer {
	if key == "" {
		return googleError(http.StatusForbidden, object{
			"message": "Method doesn't allow unregistered callers (callers without established identity).", "status": "PERMISSION_DENIED",
		})
	}
	return invalidGoogleKey("cloudbilling.googleapis.com")
}

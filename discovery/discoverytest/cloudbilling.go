package discoverytest

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"net/http"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// cloudBillingSKUs are 46 recorded SKUs of 597, in ten styles of description.
//
//go:embed cloudbilling.json
var cloudBillingSKUs []byte

// geminiService is the only service with SKUs.
const geminiService = "AEFD-7695-64FA"

// cloudBillingRoute serves the price list of Gemini: paged, with an empty token on the last page, in US dollars only.
func (s *Server) cloudBillingRoute() route {
	rows := readRows(cloudBillingSKUs)
	return route{
		op: CloudBillingListSKUs, service: discovery.ServiceCloudBilling, pattern: "GET /v1/services/{service}/skus",
		keyHeader: "X-Goog-Api-Key", refuse: refuseBilling,
		run: func(r *http.Request) answer { return s.listSKUs(r, rows) },
	}
}

func (s *Server) listSKUs(r *http.Request, rows []json.RawMessage) answer {
	if r.PathValue("service") != geminiService {
		return googleProblem(http.StatusNotFound, "NOT_FOUND", "Requested entity was not found.")
	}
	query := r.URL.Query()
	size, valid := googlePageSize(query, 5000, 5000)
	after, err := base64.StdEncoding.DecodeString(query.Get("pageToken"))
	cut, more, known := page(rows, "skuId", string(after), s.pageOf(size))
	if currency := query.Get("currencyCode"); !valid || err != nil || !known || (currency != "" && currency != "USD") {
		return googleError("Request contains an invalid argument.")
	}
	next := ""
	if more {
		next = base64.StdEncoding.EncodeToString([]byte(field(cut[len(cut)-1], "skuId")))
	}
	return answer{Status: http.StatusOK, Header: googleJSON, Body: object{"skus": cut, "nextPageToken": next}}
}

// refuseBilling refuses a wrong key with 400 and a missing one with 403.
func refuseBilling(key string) answer {
	if key == "" {
		return googleProblem(http.StatusForbidden, "PERMISSION_DENIED", "Method doesn't allow unregistered callers (callers without established identity).")
	}
	return googleError("API key not valid. Please pass a valid API key.", object{
		"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com",
		"metadata": object{"service": "cloudbilling.googleapis.com"},
	})
}

func googleProblem(code int, status, message string) answer {
	return answer{Status: code, Header: googleJSON, Body: object{"error": object{"code": code, "message": message, "status": status}}}
}

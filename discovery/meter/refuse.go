package meter

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// refused returns the response of a call that a budget refused. Official SDKs repeat neither the status 402 nor a response with
// x-should-retry: false. The body ends with the BudgetError in place of io.EOF, so that errors.As finds it in their errors.
func refused(req *http.Request, form string, refusal *BudgetError) *http.Response {
	return &http.Response{
		Status: "402 Payment Required", StatusCode: http.StatusPaymentRequired,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}, "X-Should-Retry": {"false"}},
		Body:          io.NopCloser(&refusedBody{strings.NewReader(refusalText(form, refusal)), refusal}),
		ContentLength: -1,
		Request:       req,
	}
}

type refusedBody struct {
	text io.Reader
	err  error
}

func (b *refusedBody) Read(p []byte) (int, error) {
	n, err := b.text.Read(p)
	if err != nil {
		err = b.err
	}
	return n, err
}

// refusalText returns the error in the form of the API.
func refusalText(form string, refusal *BudgetError) string {
	var body any
	message := refusal.Error()
	switch models.Provider(form) {
	case models.Anthropic:
		body = map[string]any{"type": "error", "error": map[string]any{"type": "billing_error", "message": message}}
	case models.Gemini:
		body = map[string]any{"error": map[string]any{"code": http.StatusPaymentRequired, "message": message, "status": "RESOURCE_EXHAUSTED"}}
	case "converse", "invoke":
		body = map[string]any{"message": message}
	default:
		body = map[string]any{"error": map[string]any{"message": message, "type": "budget_exceeded", "param": nil, "code": "budget_exceeded"}}
	}
	text, _ := json.Marshal(body)
	return string(text)
}

package meter

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
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

// refusals are the bodies of errors in the forms of APIs. The others have that of OpenAI.
var refusals = map[models.Provider]string{
	models.OpenAI:       `{"error":{"code":"budget_exceeded","message":%s,"param":null,"type":"budget_exceeded"}}`,
	models.Anthropic:    `{"error":{"message":%s,"type":"billing_error"},"type":"error"}`,
	models.Gemini:       `{"error":{"code":402,"message":%s,"status":"RESOURCE_EXHAUSTED"}}`,
	prices.FormConverse: `{"message":%s}`,
	prices.FormInvoke:   `{"message":%s}`,
}

// refusalText returns the error in the form of the API.
func refusalText(form string, refusal *BudgetError) string {
	message, _ := json.Marshal(refusal.Error())
	return fmt.Sprintf(cmp.Or(refusals[models.Provider(form)], refusals[models.OpenAI]), message)
}

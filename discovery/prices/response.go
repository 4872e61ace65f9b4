package prices

import (
	"bytes"

	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Response is what a response of a provider states about a call.
type Response struct {
	// ID is the id of the response; "" if it has none.
	ID string `json:"id"`
	// Model is the model that answered. It may differ from the one that was requested. "" if the response does not name it.
	Model string `json:"model"`
	// Usage is what the call used, with everything that is billed: the counts of the usage object, the service tier and the tools.
	Usage Usage `json:"usage"`
	// Complete reports whether Usage is final. A response without a usage object, an error, and a stream that ended early are not
	// complete. Their Usage is only what is known so far, so it has no cost: do not pass it to CostOf.
	Complete bool `json:"complete"`
}

// ParseResponse parses the body of a response of the APIs that [ParseUsage] knows, or one line of the results of a batch, as the
// provider serves them; of xAI's results, one of the responses, and of Gemini's, one of the inlined responses. The Mode of a line
// is "batch". A body of Gemini's streamGenerateContent may be a JSON array. For server-sent events use [NewStream].
//
// A body without a usage object is a Response that is not Complete. The error is a [*ValueError], which contains nothing of the
// body, if the body is not JSON, as one that was cut, or if its usage object is invalid.
func ParseResponse(provider models.Provider, body []byte) (Response, error) {
	known, err := models.ParseProvider(string(provider))
	if err != nil {
		return Response{}, err
	}
	reader := response.New(string(known))
	if known == models.Gemini && bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		if !response.EachOf(body, reader.Event) {
			return Response{}, invalid("body", "", "must be a JSON array of objects")
		}
		return resultOf(reader)
	}
	doc, ok := response.Parse(body)
	if !ok {
		return Response{}, invalid("body", "", "must be a JSON object")
	}
	reader.Body(doc)
	return resultOf(reader)
}

func resultOf(reader *response.Reader) (Response, error) {
	result, err := reader.Result()
	return Response{ID: result.ID, Model: result.Model, Usage: Usage(result.Usage), Complete: result.Complete}, usageError(err)
}

package discovery

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// question is one request to a provider, as its failure will tell of it.
type question struct {
	operation string
	provider  Provider
	key       secret.Secret
	timeout   time.Duration
}

// ask sends a question and decodes the answer into a generated type.
func ask[T any, P interface {
	*T
	UnmarshalJSON([]byte) error
}](ctx context.Context, c *Client, q question, send func(context.Context) (*http.Response, error)) (answer T, failure *Failure) {
	resp, err := call.Do(ctx, call.Limits{Timeout: q.timeout, MaxBytes: c.maxBytes}, send)
	if err != nil {
		f := failed(q.operation, q.provider, err, q.key)
		return answer, &f
	}
	if err := P(&answer).UnmarshalJSON(resp.Body); err != nil {
		f := undecodable(q.operation, q.provider, resp.Status, err)
		return answer, &f
	}
	return answer, nil
}

// keyFrom returns the first of the environment variables that is not blank, trimmed. It is read at every call: keys are
// rotated while programs run.
func keyFrom(names ...string) secret.Secret {
	for _, name := range names {
		if key := strings.TrimSpace(os.Getenv(name)); key != "" {
			return secret.New(key)
		}
	}
	return secret.Secret{}
}

func given(key secret.Secret) bool { return key.Reveal() != "" }

// refusedKey lists what providers say that refuse a key with 400 instead of 401 (WIRE.md section 6; xAI's error
// documentation).
var refusedKey = map[Provider][]string{
	Gemini: {"API_KEY_INVALID", "API key not valid"},
	XAI:    {"Incorrect API key"},
}

func badKey(provider Provider, err *call.Error) bool {
	return err.Status == http.StatusBadRequest && slices.ContainsFunc(refusedKey[provider], func(words string) bool {
		return bytes.Contains(err.Body, []byte(words))
	})
}

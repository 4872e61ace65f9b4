package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// request describes a call to a provider: its key and timeout, and the labels of its Failure.
type request struct {
	operation string
	provider  Provider // "" for the primary catalog
	key       secret.Secret
	timeout   time.Duration
	// refusedKey is that of the provider's row.
	refusedKey []string
}

// newRequest returns a request to a service.
func newRequest(operation string, service Service, key secret.Secret, timeout time.Duration) request {
	row, _ := lookupService(service)
	return request{operation: operation, provider: row.provider, key: key, timeout: timeout, refusedKey: row.refusedKey}
}

// fetch sends a request and decodes the response into a generated type.
func fetch[T any, P interface {
	*T
	UnmarshalJSON([]byte) error
}](ctx context.Context, c *Client, r request, send func(context.Context) (*http.Response, error)) (value T, failure *Failure) {
	resp, err := call.Do(ctx, call.Limits{Timeout: r.timeout, MaxBytes: c.maxBytes}, send)
	if err != nil {
		return value, r.failed(err)
	}
	if err := P(&value).UnmarshalJSON(resp.Body); err != nil {
		return value, r.failure(ReasonDecode, resp.Status, err)
	}
	return value, nil
}

// bearer returns a request editor that adds the key as a bearer token.
func bearer(key secret.Secret) func(context.Context, *http.Request) error {
	return header("Authorization", "Bearer "+key.Reveal())
}

// header returns a request editor that sets a header.
func header(name, value string) func(context.Context, *http.Request) error {
	return func(_ context.Context, req *http.Request) error {
		req.Header.Set(name, value)
		return nil
	}
}

// maxListPages bounds a list of models or SKUs. No provider has a hundred thousand of them.
const maxListPages = 100

var (
	errRepeatedCursor = errors.New("a page leads back to one that was read before")
	errNoCursor       = errors.New("more pages are announced without a cursor")
)

// pages reads a paged list to its end. next returns the rows of the page at cursor and the cursor of the following page, ""
// on the last. A cursor that repeats and a list of more than maxPages are failures, because the list would be incomplete.
func pages[T any](r request, maxPages int, next func(cursor string) (rows []T, following string, failure *Failure)) ([]T, *Failure) {
	var all []T
	seen := map[string]bool{"": true}
	for cursor := ""; len(seen) <= maxPages; seen[cursor] = true {
		rows, following, failure := next(cursor)
		if failure != nil {
			return nil, failure
		}
		all = append(all, rows...)
		if following == "" {
			return all, nil
		}
		if seen[following] {
			return nil, r.partial(errRepeatedCursor)
		}
		cursor = following
	}
	return nil, r.partial(fmt.Errorf("the list has more than %d pages", maxPages))
}

// isGoogleError reports whether a page of Google's holds something else in place of its rows, such as an error with status
// 200. Read as the last page it would cut the list short. After other pages {} is a last page, because proto3 omits what is
// empty.
func isGoogleError(rows int, token *string, others map[string]json.RawMessage) bool {
	_, hasError := others["error"]
	return hasError || rows == 0 && deref(token) == "" && len(others) > 0
}

// deref returns what p points to, or the zero value.
func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// nonZero returns p, or nil when it points to a zero value, which several sources write for "not known".
func nonZero[T comparable](p *T) *T {
	var zero T
	if deref(p) == zero {
		return nil
	}
	return p
}

// copied returns a pointer to a copy of what p points to, or nil.
func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// timeoutOr returns the timeout of a request: d, or the default where d is 0.
func timeoutOr(d, usual time.Duration) (time.Duration, error) {
	switch {
	case d < 0:
		return 0, &ValueError{Field: "timeout", Value: d.String(), Reason: "must not be negative"}
	case d == 0:
		return usual, nil
	}
	return d, nil
}

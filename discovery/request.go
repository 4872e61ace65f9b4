package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/call"
)

// request describes a call to a provider: its key and timeout, and the labels of its Failure.
type request struct {
	operation string
	provider  models.Provider // "" for the primary catalog
	key       Secret
	timeout   time.Duration
	// refusedKey is that of the provider's row.
	refusedKey []string
	// spent is what the pages of a list have used so far; nil for a request with one page.
	spent *budget
}

// budget bounds the pages of one list together, since each page alone may take the whole timeout and size limit.
type budget struct {
	began time.Time
	bytes int64
}

const (
	// maxListTimeouts is the time for all pages, in timeouts of one request.
	maxListTimeouts = 10
	// maxListBodies is the size of all pages, in size limits of one response.
	maxListBodies = 2
)

// newRequest returns a request to a service.
func newRequest(operation string, service Service, key Secret, timeout time.Duration) request {
	row, _ := lookupService(service)
	return request{operation: operation, provider: row.provider, key: key, timeout: timeout, refusedKey: row.refusedKey}
}

// fetch sends a request and decodes the response into a generated type.
func fetch[T any, P interface {
	*T
	UnmarshalJSON([]byte) error
}](ctx context.Context, c *Client, r request, send func(context.Context) (*http.Response, error)) (T, *Failure) {
	return fetchAs(ctx, c, r, send, func(body []byte) (value T, err error) {
		err = P(&value).UnmarshalJSON(body)
		return value, err
	})
}

// fetchAs sends a request and decodes the response with decode.
func fetchAs[T any](
	ctx context.Context, c *Client, r request, send func(context.Context) (*http.Response, error), decode func([]byte) (T, error),
) (value T, failure *Failure) {
	resp, err := call.Do(ctx, call.Limits{Timeout: r.timeout, MaxBytes: r.limit(c.maxBytes)}, send)
	if err != nil {
		return value, r.failed(err)
	}
	if r.spent != nil {
		r.spent.bytes += int64(len(resp.Body))
	}
	if err := ctx.Err(); err != nil { // no caller waits for the result
		return value, r.interrupted(err)
	}
	value, wrong := decode(resp.Body)
	if wrong != nil {
		return value, r.failure(ReasonDecode, resp.Status, wrong)
	}
	return value, nil
}

// limit returns the size limit of the next response.
func (r request) limit(maxBytes int64) int64 {
	if r.spent == nil {
		return maxBytes
	}
	return max(1, min(maxBytes, maxListBodies*maxBytes-r.spent.bytes))
}

// overdue returns the Failure of a list whose pages take too long in all, or nil.
func (r request) overdue() *Failure {
	most := maxListTimeouts * r.timeout
	if r.timeout <= 0 || time.Since(r.spent.began) <= most {
		return nil
	}
	return r.failure(ReasonTimeout, 0, fmt.Errorf("the pages take more than %v in all: %w", most, context.DeadlineExceeded))
}

// bearer returns a request editor that adds the key as a bearer token.
func bearer(key Secret) func(context.Context, *http.Request) error {
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

var errNoCursor = errors.New("the response announces another page without a cursor")

// pages reads a paged list to its end. next sends r and returns the rows of the page at cursor and the cursor of the following
// page, "" on the last. A cursor that repeats, a list of more than maxPages and one beyond its budget are failures, because the
// list would be incomplete.
func pages[T any](r request, maxPages int, next func(r request, cursor string) (rows []T, following string, failure *Failure)) ([]T, *Failure) {
	var all []T
	r.spent = &budget{began: time.Now()}
	seen := map[string]bool{"": true}
	for cursor := ""; len(seen) <= maxPages; seen[cursor] = true {
		rows, following, failure := next(r, cursor)
		if failure != nil {
			return nil, failure
		}
		all = append(all, rows...)
		if following == "" {
			return all, nil
		}
		if seen[following] {
			return nil, r.partial(errors.New("a cursor was repeated"))
		}
		if failure := r.overdue(); failure != nil {
			return nil, failure
		}
		cursor = following
	}
	return nil, r.partial(fmt.Errorf("the list has more than %d pages", maxPages))
}

// isGoogleError reports whether a page from Google has something other than rows, such as an error with status 200. As the last
// page it would cut the list short. After other pages {} is a last page, because proto3 omits empty fields.
func isGoogleError(rows int, token string, others map[string]json.RawMessage) bool {
	_, hasError := others["error"]
	stated := 0
	for _, other := range others { // a null in place of the rows is none of them
		if string(other) != "null" {
			stated++
		}
	}
	return hasError || rows == 0 && token == "" && stated > 0
}

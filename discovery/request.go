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

// request describes a provider request: its key and timeout, and the labels for its
// Failure.
type request struct {
	operation string
	provider  models.Provider // "" for the primary catalog
	key       Secret
	timeout   time.Duration
	// refusedKey is copied from the provider's row.
	refusedKey []string
	// spent counts a list's pages so far. It's nil if there is only one page.
	spent *budget
}

// budget limits a list's pages together, because each page alone may take the whole
// timeout and size limit.
type budget struct {
	began time.Time
	bytes int64
}

const (
	// maxListTimeouts limits the time for all pages, in timeouts.
	maxListTimeouts = 10
	// maxListBodies limits the size of all pages, in response size limits.
	maxListBodies = 2
)

func newRequest(operation string, service Service, key Secret, timeout time.Duration) request {
	row, _ := lookupService(service)
	return request{operation: operation, provider: row.provider, key: key, timeout: timeout, refusedKey: row.refusedKey}
}

func fetch[T any, P interface {
	*T
	UnmarshalJSON([]byte) error
}](ctx context.Context, c *Client, r request, send func(context.Context) (*http.Response, error)) (T, *Failure) {
	return fetchAs(ctx, c, r, send, func(body []byte) (value T, err error) {
		err = P(&value).UnmarshalJSON(body)
		return value, err
	})
}

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

func (r request) limit(maxBytes int64) int64 {
	if r.spent == nil {
		return maxBytes
	}
	return max(1, min(maxBytes, maxListBodies*maxBytes-r.spent.bytes))
}

// overdue returns a Failure if a list's pages take too long together.
func (r request) overdue() *Failure {
	most := maxListTimeouts * r.timeout
	if r.timeout <= 0 || time.Since(r.spent.began) <= most {
		return nil
	}
	return r.failure(ReasonTimeout, 0, fmt.Errorf("the pages take more than %v in all: %w", most, context.DeadlineExceeded))
}

func bearer(key Secret) func(context.Context, *http.Request) error {
	return header("Authorization", "Bearer "+key.Reveal())
}

func header(name, value string) func(context.Context, *http.Request) error {
	return func(_ context.Context, req *http.Request) error {
		req.Header.Set(name, value)
		return nil
	}
}

// maxListPages limits lists of models or SKUs. No provider has a hundred thousand.
const maxListPages = 100

var errNoCursor = errors.New("the response announces another page without a cursor")

// pages reads all pages of a list. next sends r for the page at cursor, and returns its
// rows and the next cursor, or "" on the last page. A repeated cursor, too many pages or
// an exceeded budget is a failure, because the list would be incomplete.
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

// isGoogleError reports whether a page from Google contains something else instead of
// rows, such as an error with status 200. Taken as the last page, it would cut the list
// short. An empty {} is a valid last page, because proto3 omits empty fields.
func isGoogleError(rows int, token string, others map[string]json.RawMessage) bool {
	_, hasError := others["error"]
	stated := 0
	for _, other := range others { // null instead of rows means no rows
		if string(other) != "null" {
			stated++
		}
	}
	return hasError || rows == 0 && token == "" && stated > 0
}

package mail

import (
	"context"
	"errors"

	"github.com/mesh-gateway/mesh-go/client"
)

// InvalidRows returns the rows of a list that could not be decoded beside others, or err if it is another error.
func InvalidRows(err error) ([]*client.RowError, error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil, err
	}
	var rows []*client.RowError
	for _, part := range joined.Unwrap() {
		var row *client.RowError
		if !errors.As(part, &row) {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Newest returns the newest messages that opts selects. While they are too large for one response, it requests fewer. full means that
// there may be older ones.
func Newest(ctx context.Context, c *client.MeshClient, opts client.FetchOptions) (messages []client.MeshMessage, invalid []*client.RowError, full bool, err error) {
	return Fitting(opts.Limit, func(limit int) ([]client.MeshMessage, error) {
		opts.Limit = limit
		return c.Fetch(ctx, opts)
	})
}

// Fitting requests up to limit rows, and fewer while they are too large for one response. full means that there may be more.
func Fitting[T any](limit int, request func(limit int) ([]T, error)) (rows []T, invalid []*client.RowError, full bool, err error) {
	for ; ; limit = max(1, limit/4) {
		rows, err = request(limit)
		if !errors.Is(err, client.ErrTooLarge) || limit == 1 {
			invalid, err = InvalidRows(err)
			return rows, invalid, err == nil && len(rows)+len(invalid) >= limit, err
		}
	}
}

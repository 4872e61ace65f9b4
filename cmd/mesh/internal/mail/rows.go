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
	for ; ; opts.Limit = max(1, opts.Limit/4) {
		messages, err = c.Fetch(ctx, opts)
		if !errors.Is(err, client.ErrTooLarge) || opts.Limit == 1 {
			invalid, err = InvalidRows(err)
			return messages, invalid, err == nil && len(messages)+len(invalid) >= opts.Limit, err
		}
	}
}

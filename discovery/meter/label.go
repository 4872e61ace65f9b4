package meter

import (
	"context"

	"github.com/mesh-gateway/mesh-go/internal/label"
)

// WithLabel returns a context whose calls have a label. A label of the same name replaces the one of ctx. A handler of package client
// has the label "thread" if its message is in a named thread.
func WithLabel(ctx context.Context, name, value string) context.Context {
	return label.With(ctx, name, value)
}

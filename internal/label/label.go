// Package label attaches labels to a context. Package client/agent attaches a thread's
// name, and package meter records the labels with each call, so neither package needs the
// other.
package label

import (
	"context"
	"maps"

	"github.com/mesh-gateway/mesh-go/internal/argument"
)

type key struct{}

// With adds a label to a context, replacing one of the same name. It's shortened as in a
// record, because budgets compare it with recorded labels.
func With(ctx context.Context, name, value string) context.Context {
	labels := maps.Clone(Of(ctx))
	if labels == nil {
		labels = map[string]string{}
	}
	labels[argument.Cut(name, argument.MaxText)] = argument.Cut(argument.Redact(value), argument.MaxText) // redacted: records and errors show it
	return context.WithValue(ctx, key{}, labels)
}

// Of returns a context's labels. The map must not be changed.
func Of(ctx context.Context) map[string]string {
	labels, _ := ctx.Value(key{}).(map[string]string)
	return labels
}

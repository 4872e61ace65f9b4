// Package label attaches labels to a context. Package client attaches the name of a conversation, and package meter records the labels
// of each call, so that neither package needs the other.
package label

import (
	"context"
	"maps"

	"github.com/mesh-gateway/mesh-go/internal/argument"
)

type key struct{}

// With returns a context with a label, cut as in a record: budgets of several programs compare it with the labels of records. A label of
// the same name replaces the one of ctx.
func With(ctx context.Context, name, value string) context.Context {
	labels := maps.Clone(Of(ctx))
	if labels == nil {
		labels = map[string]string{}
	}
	labels[argument.Cut(name, argument.MaxText)] = argument.Cut(argument.Redact(value), argument.MaxText) // records and errors have it
	return context.WithValue(ctx, key{}, labels)
}

// Of returns the labels of a context. They must not be changed.
func Of(ctx context.Context) map[string]string {
	labels, _ := ctx.Value(key{}).(map[string]string)
	return labels
}

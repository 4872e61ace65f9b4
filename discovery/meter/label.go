package meter

import (
	"context"
	"maps"
)

type labelsKey struct{}

// WithLabel returns a context whose calls have a label. A label of the same name replaces the one of ctx.
func WithLabel(ctx context.Context, name, value string) context.Context {
	labels := maps.Clone(labelsOf(ctx))
	if labels == nil {
		labels = map[string]string{}
	}
	labels[name] = value
	return context.WithValue(ctx, labelsKey{}, labels)
}

// labelsOf returns the labels of a context. They must not be changed.
func labelsOf(ctx context.Context) map[string]string {
	labels, _ := ctx.Value(labelsKey{}).(map[string]string)
	return labels
}

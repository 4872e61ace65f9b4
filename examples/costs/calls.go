package main

import (
	"context"
	"log/slog"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// count sums the calls for comparison with a bill. An unreadable line is an error,
// because its call would be missing.
func (j *job) count(ctx context.Context) ([]calls.Group, error) {
	prices, err := j.client.LivePrices(ctx, nil)
	if err != nil {
		return nil, err
	}
	sums, err := calls.Sum(calls.Options{By: [][]string{{calls.ByDay, calls.ByModel, calls.ByProvider, calls.ByPlatform, calls.ByBilling, calls.ByUnpriced}}, Prices: prices}, j.usage)
	if err != nil {
		return nil, err
	}
	for _, row := range sums[0] {
		if row.Unpriced > 0 {
			slog.Warn("calls have no known cost", "calls", row.Unpriced, "model", row.Value(calls.ByModel), "reason", row.Value(calls.ByUnpriced))
		}
	}
	return sums[0], nil
}

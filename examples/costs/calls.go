package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// ledgers has what was counted for each provider. A call without a known cost then leaves only the drift of its own provider
// unknown.
type ledgers map[models.Provider]*prices.Ledger

// count adds up the calls of the usage file. A line that cannot be read is an error, since its call would be missing.
func (j *job) count(ctx context.Context) (ledgers, error) {
	prices, err := j.client.LivePrices(ctx, nil)
	if err != nil {
		return nil, err
	}
	rows, err := calls.Sum(calls.SumOptions{By: [][]string{{"day", "provider", "model", "unpriced"}}, Prices: prices}, j.usage)
	if err != nil {
		return nil, err
	}
	counted := ledgers{}
	for _, row := range rows[0] {
		if err := counted.add(row); err != nil {
			return nil, err
		}
	}
	return counted, nil
}

// add adds the calls of a row: the sum of their costs or, if they are not known, each call as an unpriced one.
func (counted ledgers) add(row calls.Group) error {
	day, err := time.Parse(time.DateOnly, row.By[0])
	if err != nil {
		return err
	}
	provider, model, reason := models.Provider(row.By[1]), row.By[2], row.By[3]
	if counted[provider] == nil {
		counted[provider] = prices.NewLedger()
	}
	if row.Unpriced == 0 {
		counted[provider].Add(day, &prices.Cost{Provider: provider, Model: model, USD: row.USD})
		return nil
	}
	slog.Warn("the cost of calls is not known", "calls", row.Unpriced, "model", model, "reason", reason)
	for range row.Unpriced {
		counted[provider].Add(day, nil)
	}
	return nil
}

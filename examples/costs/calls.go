package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// call is a line of the usage file.
type call struct {
	Provider string          `json:"provider"`
	Model    string          `json:"model"`
	Time     time.Time       `json:"time"`
	Mode     string          `json:"mode"`
	Usage    json.RawMessage `json:"usage"`
}

// ledgers has what was counted for each provider. A call without a known cost then leaves only the drift of its own provider
// unknown.
type ledgers map[discovery.Provider]*discovery.Ledger

// count prices the calls of the usage file.
func (j *job) count(ctx context.Context) (ledgers, error) {
	file, err := os.Open(j.usage)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	prices, err := j.client.LivePrices(ctx, nil)
	if err != nil {
		return nil, err
	}
	counted := ledgers{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	number := 1
	for ; lines.Scan(); number++ {
		if err := counted.add(prices, lines.Bytes()); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", j.usage, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s, line %d: %w", j.usage, number, err)
	}
	return counted, nil
}

// add prices the call of a line.
func (counted ledgers) add(prices *discovery.PriceList, line []byte) error {
	if len(line) == 0 {
		return nil
	}
	var c call
	if err := json.Unmarshal(line, &c); err != nil {
		return err
	}
	provider, err := discovery.ParseProvider(c.Provider)
	switch {
	case err != nil:
		return err
	case c.Time.IsZero():
		return errors.New("time is missing")
	}
	usage, err := discovery.ParseUsage(provider, c.Usage)
	if err != nil {
		return err
	}
	cost, err := prices.CostOf(discovery.Call{Provider: provider, Model: c.Model, Usage: usage, At: c.Time, Mode: c.Mode})
	if errors.Is(err, discovery.ErrUnpriced) { // the ledger counts the call as unpriced
		slog.Warn("the cost of a call is not known", "error", err)
	} else if err != nil {
		return err
	}
	if counted[provider] == nil {
		counted[provider] = discovery.NewLedger()
	}
	counted[provider].Add(c.Time, &cost)
	return nil
}

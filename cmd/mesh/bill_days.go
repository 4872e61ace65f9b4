package main

import (
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/calls"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery"
)

// days returns the bill of a report beside its ledger, which may be nil, by UTC day.
func (b *bill) days(r report) *calls.Bill {
	days := make(map[string]*calls.BillDay)
	at := func(name string) *calls.BillDay {
		if days[name] == nil {
			days[name] = &calls.BillDay{Day: name, Billed: new(big.Rat), Counted: new(big.Rat)}
		}
		return days[name]
	}
	switch r := r.(type) {
	case *discovery.ReconciliationReport[discovery.CostBucket]:
		for _, bucket := range r.Buckets {
			addUSD(at(time.Unix(bucket.StartTime, 0).UTC().Format(time.DateOnly)).Billed, bucket.TotalUSD)
		}
	case *discovery.ReconciliationReport[discovery.TeamCostBucket]:
		for _, bucket := range r.Buckets {
			addUSD(at(bucket.StartTime[:min(len(bucket.StartTime), len(time.DateOnly))]).Billed, bucket.TotalUSD)
		}
	}
	if b.ledger != nil {
		for _, counted := range b.ledger.Days() {
			day := at(counted.Day)
			addUSD(day.Counted, counted.USD)
			day.Unpriced += counted.Unpriced
		}
	}
	all := &calls.Bill{Provider: string(b.provider)}
	for _, name := range slices.Sorted(maps.Keys(days)) {
		all.Days = append(all.Days, *days[name])
	}
	return all
}

// addUSD adds an amount as the decimal that it was rounded from.
func addUSD(sum *big.Rat, usd float64) {
	if exact, ok := new(big.Rat).SetString(output.Decimal(usd)); ok {
		sum.Add(sum, exact)
	}
}

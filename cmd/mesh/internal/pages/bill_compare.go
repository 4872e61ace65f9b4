package pages

import (
	"encoding/json"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// Compare returns the bill of a report beside the calls, by UTC day and by model.
func (q *BillQuery) Compare(r Reconciliation) *Bill {
	all := NewBill(q.Provider, q.Ledger != nil)
	switch r := r.(type) {
	case *discovery.ReconciliationReport[discovery.CostBucket]:
		for _, bucket := range r.Buckets {
			all.AddDay(time.Unix(bucket.StartTime, 0).UTC().Format(time.DateOnly), bucket.TotalUSD)
			models := itemModels(bucket.RawResults)
			for item, usd := range bucket.LineItemBreakdown {
				all.AddItem(item, models[item], usd)
			}
		}
	case *discovery.ReconciliationReport[discovery.TeamCostBucket]:
		for _, bucket := range r.Buckets {
			all.AddDay(bucket.StartTime[:min(len(bucket.StartTime), len(time.DateOnly))], bucket.TotalUSD)
			for _, item := range bucket.LineItems {
				all.AddItem(item.Description, "", item.USD)
			}
		}
	}
	for i := range q.Rows {
		all.AddCalls(q.Rows[i].By[0], q.Rows[i].By[2], &q.Rows[i])
	}
	return all
}

// itemModels returns the models that the results of Anthropic name, by line item. A line item of two models has none.
func itemModels(results []json.RawMessage) map[string]string {
	models := make(map[string]string)
	for _, result := range results {
		var r struct{ Description, Model string }
		if json.Unmarshal(result, &r) != nil {
			continue
		}
		if model, ok := models[r.Description]; ok && model != r.Model {
			r.Model = ""
		}
		models[r.Description] = r.Model
	}
	return models
}

package discovery

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

// besideCalls are parts of the names of line items whose costs arise beside calls: by the hour, by the gigabyte, by the training
// run or by contract. No cost of a call has them.
var besideCalls = []string{
	"storage", "training", "session", "container", "code interpreter", "code execution", "provisioned", "capacity", "scale tier", "priority tier",
}

// lineItemNote names the line items of the bill that calls cannot have, with their sum; "" when there are none, or when the bill
// was not grouped by line item.
func (r *ReconciliationReport[B]) lineItemNote() string {
	var names []string
	var total decimal.Sum
	for _, bucket := range r.Buckets {
		items := bucket.lineItems()
		for _, name := range slices.Sorted(maps.Keys(items)) {
			if !isBesideCalls(name) {
				continue
			}
			usd, _ := decimal.Parse(fmt.Sprint(items[name]))
			total.Add(usd)
			if name = strconv.Quote(name); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	if n := len(names); n > maxListed {
		names = append(names[:maxListed], fmt.Sprintf("%d more", n-maxListed))
	}
	return fmt.Sprintf("not in any call: %s USD of the bill are %s", total.Total(), strings.Join(names, ", "))
}

func isBesideCalls(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(besideCalls, func(part string) bool { return strings.Contains(name, part) })
}

func (b CostBucket) lineItems() map[string]float64 { return b.LineItemBreakdown }

func (b TeamCostBucket) lineItems() map[string]float64 {
	items := make(map[string]float64, len(b.LineItems))
	for _, item := range b.LineItems {
		items[item.Description] += item.USD
	}
	return items
}

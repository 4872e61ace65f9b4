package pages

import (
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Bill is a bill beside what was counted, by day and by model.
type Bill struct {
	provider models.Provider
	// counted is false for a bill alone.
	counted bool
	discovery.BillComparison
}

// NewBill returns the bill of a provider. counted reports whether calls are compared with it.
func NewBill(p models.Provider, counted bool, c discovery.BillComparison) *Bill {
	return &Bill{p, counted, c}
}

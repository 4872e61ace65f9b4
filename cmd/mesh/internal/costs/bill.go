package costs

import "github.com/mesh-gateway/mesh-go/discovery"

// Bill is a bill beside what was counted, by day and by model.
type Bill struct{ discovery.BillComparison }

// NewBill returns a bill.
func NewBill(c discovery.BillComparison) *Bill { return &Bill{c} }

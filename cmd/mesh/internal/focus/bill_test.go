package focus_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/focus"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func TestWriteBillOfXAI(t *testing.T) {
	day := discovery.TeamCostBucket{
		StartTime: "2026-11-01T00:00:00Z", EndTime: "2026-11-02T00:00:00Z", TotalUSD: 3,
		LineItems: []discovery.LineItem{{Description: "grok-4.5", USD: 3.5}, {Description: "Free", USD: 0}, {Description: "Credit", USD: -0.5}},
	}
	var out bytes.Buffer
	if err := focus.WriteBill(&out, models.XAI, "team-1", []discovery.TeamCostBucket{day}); err != nil {
		t.Fatal(err)
	}
	_, rows := readRows(t, out.String())
	if len(rows) != 2 || rows[0]["x_Model"] != "grok-4.5" || rows[0]["BilledCost"] != "3.5" || rows[1]["BilledCost"] != "-0.5" || rows[1]["SkuId"] != "" {
		t.Errorf("rows: %v", rows)
	}
	day.EndTime = "tomorrow"
	out.Reset()
	if err := focus.WriteBill(&out, models.XAI, "", []discovery.TeamCostBucket{day}); err == nil || out.Len() > 0 {
		t.Errorf("a wrong time: %v, %d bytes", err, out.Len())
	}
}

func TestWriteBillByPart(t *testing.T) {
	days := []discovery.CostBucket{
		{StartTime: 1793577600, EndTime: 1793664000, TotalUSD: 2, ProjectBreakdown: map[string]float64{"proj_1": 2}},
		{StartTime: 1793664000, EndTime: 1793750400, TotalUSD: 0.1, RawResults: []json.RawMessage{[]byte(`{"organization_id":"org-9"}`)}},
	}
	var out bytes.Buffer
	if err := focus.WriteBill(&out, models.OpenAI, "", days); err != nil {
		t.Fatal(err)
	}
	_, rows := readRows(t, out.String())
	if len(rows) != 2 || rows[0]["SubAccountId"] != "proj_1" || rows[0]["BillingAccountId"] != "default" {
		t.Fatalf("rows: %v", rows)
	}
	if r := rows[1]; r["SkuId"] != "all" || r["ChargeDescription"] != "OpenAI API" || r["BillingAccountId"] != "org-9" || r["BilledCost"] != "0.1" {
		t.Errorf("the total: %v", r)
	}
}

// The bucket's month in its own time zone isn't the month in UTC.
func TestBillOfAnotherZone(t *testing.T) {
	day := discovery.TeamCostBucket{StartTime: "2026-11-01T00:00:00+02:00", EndTime: "2026-11-02T00:00:00+02:00", TotalUSD: 1}
	var out bytes.Buffer
	if err := focus.WriteBill(&out, models.XAI, "", []discovery.TeamCostBucket{day}); err != nil {
		t.Fatal(err)
	}
	_, rows := readRows(t, out.String())
	if r := rows[0]; r["BillingPeriodStart"] != "2026-10-01T00:00:00Z" || r["ChargePeriodStart"] != "2026-10-31T22:00:00Z" || r["BillingPeriodEnd"] != "2026-11-01T00:00:00Z" {
		t.Errorf("periods: %v", r)
	}
}

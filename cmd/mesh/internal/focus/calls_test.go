package focus_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/focus"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/zerovalue"
)

func call(usd prices.USD, unpriced string) calls.Record {
	return calls.Record{
		Provider: models.OpenAI, Model: "gpt-4o-mini", Time: time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC), USD: usd, Unpriced: unpriced,
		Usage: json.RawMessage(`{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010}`), Status: 200,
	}
}

func TestMethodsOfZeroCalls(t *testing.T) {
	for _, c := range []*focus.Calls{nil, {}} {
		zerovalue.Check(t, c)
	}
	var wrong *discovery.ValueError
	if err := focus.NewCalls(nil, "").WriteCSV(nil); !errors.As(err, &wrong) {
		t.Errorf("a nil writer: %v", err)
	}
}

func TestCostThatIsNotThatOfTheList(t *testing.T) {
	searched := call("0.030156", "") // the list has no search fee for this model
	searched.ToolUses = map[string]int64{"web_search": 3}
	failed := call("0", "")
	failed.Status, failed.Usage = 429, nil
	records := focus.NewCalls(nil, "org-1")
	for _, r := range []calls.Record{searched, call("0.1", ""), failed} {
		if err := records.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := records.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	_, rows := readRows(t, out.String())
	if len(rows) != 1 {
		t.Fatalf("%d rows, want 1", len(rows))
	}
	for column, want := range map[string]string{
		"BilledCost": "0.130156", "PricingQuantity": "0.130156", "PricingUnit": "USD", "ContractedUnitPrice": "1", "x_CallCount": "2",
		"x_CostSource": "metered", "PricingCategory": "Other", "BillingAccountId": "org-1", "ConsumedUnit": "Requests",
	} {
		if rows[0][column] != want {
			t.Errorf("%s is %q, want %q", column, rows[0][column], want)
		}
	}
}

// Subscription calls aren't billed, and have their own rows.
func TestCallsOfASubscription(t *testing.T) {
	login := call("0.1", "")
	login.Billing = "subscription"
	records := focus.NewCalls(nil, "")
	for _, r := range []calls.Record{login, call("0.1", ""), login} {
		if err := records.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := records.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	_, rows := readRows(t, out.String())
	if len(rows) != 2 {
		t.Fatalf("%d rows, want 2", len(rows))
	}
	for i, want := range [][3]string{{"0.1", "0.1", "0.1"}, {"0", "0", "0.2"}} {
		if got := [3]string{rows[i]["BilledCost"], rows[i]["EffectiveCost"], rows[i]["ListCost"]}; got != want {
			t.Errorf("row %d has the costs %q, want %q", i, got, want)
		}
	}
}

func TestCallsWithoutARow(t *testing.T) {
	unknown, torn := call("", ""), call("", "")
	unknown.Model, torn.Usage = "gpt-99-unknown", json.RawMessage(`{"prompt_tokens":-1}`)
	records := focus.NewCalls(nil, "")
	cause := records.Add(unknown)
	empty := call("", "")
	empty.Usage = nil
	for want, r := range map[string]calls.Record{
		"prices: unknown cost: model: gpt-99-unknown has no price in the list": unknown,
		"prices: unknown cost: closed early":                                   call("", "closed early"),
		cause.Error():                                                          call("", cause.Error()),
	} {
		if err := records.Add(r); !errors.Is(err, prices.ErrUnpriced) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	undated, late := call("1", ""), call("1", "")
	undated.Time, late.Time = time.Time{}, time.Date(9999, 12, 1, 12, 0, 0, 0, time.UTC)
	for _, r := range []calls.Record{torn, empty, call("1e9", ""), call("-1", ""), {Provider: "nobody", USD: "1"}, undated, late} {
		if records.Add(r) == nil {
			t.Errorf("Add(%+v) has no error", r)
		}
	}
	var out bytes.Buffer
	if err := records.WriteCSV(&out); err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("rows for calls without a cost: %v\n%s", err, out.String())
	}
}

// The sum has more tokens than fit in an int64.
func TestCountsBeyondInt64(t *testing.T) {
	records := focus.NewCalls(nil, "")
	r := call("", "")
	r.Usage = json.RawMessage(`{"prompt_tokens":9007199254740992,"completion_tokens":0,"total_tokens":9007199254740992}`)
	for range 2048 {
		if err := records.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := records.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	_, rows := readRows(t, out.String())
	if len(rows) != 1 || rows[0]["ConsumedQuantity"] != "18446744073709551616" || rows[0]["BilledCost"] != "2767011611056.4327424" {
		t.Errorf("rows: %v", rows)
	}
}

func TestTags(t *testing.T) {
	records := focus.NewCalls(nil, "")
	r := call("0.1", "")
	r.Labels = map[string]string{"team": "<b> & c", "canary": ""}
	if err := records.Add(r); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := records.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	_, rows := readRows(t, out.String())
	if want := `{"canary":true,"team":"<b> & c"}`; rows[0]["Tags"] != want {
		t.Errorf("Tags is %s, want %s", rows[0]["Tags"], want)
	}
}

// Each day has a call at its start and one at its end, before and after 1970.
func TestDays(t *testing.T) {
	for _, day := range []string{"1969-12-30", "1969-12-31", "1970-01-01", "2026-11-22"} {
		records := focus.NewCalls(nil, "")
		for _, clock := range []string{"T00:00:00Z", "T23:59:59.999999999Z"} {
			r := call("0.1", "")
			r.Time, _ = time.Parse(time.RFC3339, day+clock)
			if err := records.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		if err := records.WriteCSV(&out); err != nil {
			t.Fatal(err)
		}
		if _, rows := readRows(t, out.String()); len(rows) != 1 || rows[0]["ChargePeriodStart"] != day+"T00:00:00Z" {
			t.Errorf("%s: %v", day, rows)
		}
	}
}

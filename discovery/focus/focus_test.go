package focus_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/focus"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/zerovalue"
)

// workedCase is a line of testdata/cases.jsonl: calls or a bill, and the rows that they give. Null columns are left out.
type workedCase struct {
	Name  string
	Calls []calls.Record
	Bill  *struct {
		Provider models.Provider
		Account  string
		Buckets  []struct {
			StartTime int64                  `json:"start_time"`
			EndTime   int64                  `json:"end_time"`
			LineItems map[string]json.Number `json:"line_items"`
		}
	}
	Rows []map[string]string
}

func workedCases(t *testing.T) []workedCase {
	t.Helper()
	text, err := os.ReadFile("testdata/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []workedCase
	for line := range bytes.Lines(text) {
		var c workedCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if len(all) != 12 {
		t.Fatalf("%d cases, want 12", len(all))
	}
	return all
}

func (c workedCase) write(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	if c.Bill == nil {
		records := focus.NewCalls(nil, "")
		for _, r := range c.Calls {
			if err := records.Add(r); (err != nil) != (r.USD == "") {
				t.Errorf("Add(%s): %v", r.ID, err)
			}
		}
		if err := records.WriteCSV(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	var buckets []discovery.CostBucket
	for _, b := range c.Bill.Buckets {
		bucket := discovery.CostBucket{StartTime: b.StartTime, EndTime: b.EndTime, LineItemBreakdown: make(map[string]float64)}
		for item, usd := range b.LineItems {
			bucket.LineItemBreakdown[item], _ = usd.Float64()
		}
		buckets = append(buckets, bucket)
	}
	if err := focus.WriteBill(&out, c.Bill.Provider, c.Bill.Account, buckets); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// readRows returns the rows of a file without their null columns.
func readRows(t *testing.T, text string) (header []string, rows []map[string]string) {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewBufferString(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := make(map[string]string)
		for i, cell := range line {
			if cell != "" {
				row[lines[0][i]] = cell
			}
		}
		rows = append(rows, row)
	}
	return lines[0], rows
}

func TestWorkedCases(t *testing.T) {
	for _, c := range workedCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			text := c.write(t)
			_, rows := readRows(t, text)
			if len(rows) != len(c.Rows) {
				t.Fatalf("%d rows, want %d", len(rows), len(c.Rows))
			}
			for i, want := range c.Rows {
				for column := range maps.Keys(want) {
					if rows[i][column] != want[column] {
						t.Errorf("row %d: %s is %q, want %q", i, column, rows[i][column], want[column])
					}
				}
				if len(rows[i]) != len(want) {
					t.Errorf("row %d has %d columns, want %d: %v", i, len(rows[i]), len(want), rows[i])
				}
			}
			slices.Reverse(c.Calls)
			if again := c.write(t); again != text {
				t.Errorf("the calls in reverse order give other bytes:\n%s\n%s", text, again)
			}
		})
	}
}

func TestHeader(t *testing.T) {
	var out bytes.Buffer
	if err := focus.NewCalls(nil, "").WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	header, rows := readRows(t, out.String())
	if len(header) != len(slices.Compact(slices.Clone(header))) || !slices.IsSorted(header) || len(rows) != 0 {
		t.Errorf("columns are not sorted, or there are rows: %v", header)
	}
}

func call(usd, unpriced string) calls.Record {
	return calls.Record{
		Provider: models.OpenAI, Model: "gpt-4o-mini", Time: time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC), USD: usd, Unpriced: unpriced,
		Usage: json.RawMessage(`{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010}`), Complete: true, Status: 200,
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
	searched := call("0.030156", "") // the list has no fee for a search by this model
	searched.Requests = map[string]int64{"web_search": 3}
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

func TestCallsWithoutARow(t *testing.T) {
	unknown, torn := call("", ""), call("", "")
	unknown.Model, torn.Usage = "gpt-99-unknown", json.RawMessage(`{"prompt_tokens":-1}`)
	records := focus.NewCalls(nil, "")
	cause := records.Add(unknown)
	empty := call("", "")
	empty.Usage = nil
	for want, r := range map[string]calls.Record{
		"prices: the cost is not known: model: gpt-99-unknown has no price in the list": unknown,
		"prices: the cost is not known: closed early":                                   call("", "closed early"),
		"prices: the cost is not known: it has no usage":                                empty,
		cause.Error(): call("", cause.Error()),
	} {
		if err := records.Add(r); !errors.Is(err, prices.ErrUnpriced) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	undated, late := call("1", ""), call("1", "")
	undated.Time, late.Time = time.Time{}, time.Date(9999, 12, 1, 12, 0, 0, 0, time.UTC)
	for _, r := range []calls.Record{torn, call("1e9", ""), call("-1", ""), {Provider: "nobody", USD: "1"}, undated, late} {
		if records.Add(r) == nil {
			t.Errorf("Add(%+v) has no error", r)
		}
	}
	var out bytes.Buffer
	if err := records.WriteCSV(&out); err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("rows of calls without a cost: %v\n%s", err, out.String())
	}
}

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

// TestCountsBeyondInt64 adds up more tokens than an int64 has room for.
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

// TestBillOfAnotherZone has a bucket whose month in its own time zone is not the month in UTC.
func TestFileIsUTF8(t *testing.T) {
	records := focus.NewCalls(nil, "")
	r := call("0.1", "")
	r.Model = "gpt\xff"
	if err := records.Add(r); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := records.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	if _, rows := readRows(t, out.String()); rows[0]["x_Model"] != "gpt\uFFFD" || !utf8.Valid(out.Bytes()) {
		t.Errorf("the model is %q", rows[0]["x_Model"])
	}
}

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

// TestFileControlsNoTerminal has texts of programs and providers with control characters. JSON in a cell stays JSON.
func TestFileControlsNoTerminal(t *testing.T) {
	records := focus.NewCalls(nil, "org\x1b]0;a\a")
	r := call("0.1", "")
	r.Model, r.Source = "gpt\n\u009b31m", "a\u202eb\u2028c\u007f é"
	r.Labels = map[string]string{"team": "\u009b\r\n=x"}
	if err := records.Add(r); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := records.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	if i := strings.IndexFunc(strings.ReplaceAll(out.String(), "\n", ""), func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Bidi_Control) }); i >= 0 {
		t.Errorf("the file has a control character: %q", out.String()[i:])
	}
	_, rows := readRows(t, out.String())
	for column, want := range map[string]string{
		"BillingAccountId": `org\u001b]0;a\u0007`, "x_Model": `gpt\u000a\u009b31m`, "x_PriceSource": `a\u202eb\u2028c\u007f é`, "Tags": `{"team":"\u009b\r\n=x"}`,
	} {
		if rows[0][column] != want {
			t.Errorf("%s is %s, want %s", column, rows[0][column], want)
		}
	}
	var tags map[string]string
	if err := json.Unmarshal([]byte(rows[0]["Tags"]), &tags); err != nil || tags["team"] != r.Labels["team"] {
		t.Errorf("Tags: %q, %v", tags, err)
	}
}

// TestDays has calls at both ends of days before and after 1970.
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

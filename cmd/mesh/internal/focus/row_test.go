package focus_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/focus"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// workedCase is a line in testdata/cases.jsonl: calls or a bill, and the resulting rows
// without null columns.
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

// readRows returns the rows without null columns.
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
				t.Errorf("the calls in reverse order give different bytes:\n%s\n%s", text, again)
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

// Programs and providers may send control characters. JSON in a cell must stay JSON.
func TestFileControlsNoTerminal(t *testing.T) {
	records := focus.NewCalls(nil, "org\x1b]0;a\a")
	r := call("0.1", "")
	r.Model, r.SourceKey = "gpt\n\u009b31m", "a\u202eb\u2028c\u007f é"
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

// The platform is the provider, and the model's developer is the publisher.
func TestCallsOnPlatforms(t *testing.T) {
	t.Parallel()
	const converse, chat = `{"inputTokens":400,"outputTokens":0,"totalTokens":400}`, `{"prompt_tokens":400,"completion_tokens":0,"total_tokens":400}`
	list, err := prices.BuiltIn().With(prices.Row{Provider: "groq", ModelHint: "llama", InputPerMTok: "0", OutputPerMTok: "0"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		of    calls.Record
		usage string
		want  map[string]string
	}{
		{"Bedrock", calls.Record{Platform: "bedrock", Provider: "anthropic", Model: "claude-sonnet-4-6", API: "converse", Region: "us-west-2", Profile: "us", USD: "0.00132"}, converse, map[string]string{
			"ProviderName": "AWS", "InvoiceIssuerName": "AWS", "PublisherName": "Anthropic", "ServiceName": "Amazon Bedrock", "RegionId": "us-west-2",
			"BilledCost": "0.00132", "ListUnitPrice": "3.3", "ConsumedQuantity": "400", "ConsumedUnit": "Tokens", "x_Provider": "anthropic",
			"SkuId": "bedrock/claude-sonnet-4-6/input", "SkuPriceId": "bedrock/claude-sonnet-4-6/input/standard/us", "x_CostSource": "metered",
		}},
		{"Vertex, not priced yet", calls.Record{Platform: "vertex", Provider: "gemini", Model: "gemini-2.5-pro", API: "openai", Region: "us-central1"}, chat, map[string]string{
			"ProviderName": "Google Cloud", "PublisherName": "Google", "ServiceName": "Vertex AI", "RegionId": "us-central1", "BilledCost": "0.0005",
		}},
		{"Azure", calls.Record{Platform: "azure", Provider: "openai", Model: "gpt-4o", Region: "data-zone", USD: "0.0011"}, chat, map[string]string{
			"ProviderName": "Microsoft", "PublisherName": "OpenAI", "ServiceName": "Azure AI Foundry", "RegionId": "", "ListUnitPrice": "2.75",
			"SkuPriceId": "azure/gpt-4o/input/standard/data-zone",
		}},
		{"OpenRouter", calls.Record{Platform: "openrouter", Model: "z-ai/glm-5", API: "openai", USD: "0.0005", SourceKey: "charged by the provider"},
			`{"prompt_tokens":400,"completion_tokens":0,"total_tokens":400,"cost":0.0005}`, map[string]string{
				"ProviderName": "OpenRouter", "PublisherName": "OpenRouter", "ServiceName": "OpenRouter API", "RegionId": "", "BilledCost": "0.0005",
				"x_Provider": "", "x_CostSource": "charged", "SkuId": "openrouter/z-ai/glm-5/charged", "SkuPriceDetails": `{"x_ModelId":"z-ai/glm-5","x_TokenType":"charged"}`,
			}},
		{"the user's own host", calls.Record{Provider: "groq", Model: "llama", USD: "0"}, chat, map[string]string{
			"ProviderName": "groq", "PublisherName": "groq", "ServiceName": "groq API", "BilledCost": "0", "ConsumedQuantity": "400", "SkuId": "llama/input",
			"SkuPriceDetails": `{"x_ModelId":"llama","x_TokenType":"input"}`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := c.of
			r.Time, r.Status, r.Usage = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), 200, json.RawMessage(c.usage)
			records := focus.NewCalls(list, "")
			if err := records.Add(r); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := records.WriteCSV(&out); err != nil {
				t.Fatal(err)
			}
			_, rows := readRows(t, out.String())
			if len(rows) != 1 {
				t.Fatalf("%d rows, want 1:\n%s", len(rows), out.String())
			}
			for column, want := range c.want {
				if rows[0][column] != want {
					t.Errorf("%s is %q, want %q", column, rows[0][column], want)
				}
			}
		})
	}
}

// A bill's quantity is the consumption. Unit price times priced quantity is always the
// cost.
func TestQuantitiesOfABill(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		usd      float64
		quantity discovery.Quantity
		want     string // consumed and its unit, priced quantity, its unit, unit price
	}{
		{2.5, discovery.Quantity{Amount: "1000000", Unit: "tokens"}, "1000000 Tokens 1 1000000 Tokens 2.5"},
		{0.00375, discovery.Quantity{Amount: "1.5", Unit: "1000_tokens"}, "1500 Tokens 0.0015 1000000 Tokens 2.5"},
		{0.1, discovery.Quantity{Amount: "3", Unit: "tokens"}, "3 Tokens 0.1 USD 1"},
		{0.2, discovery.Quantity{Amount: "4", Unit: "images"}, "4 Images 4 Images 0.05"},
		{0.25, discovery.Quantity{Amount: "2.5", Unit: "gibibyte_hours"}, "2.5 GiB-Hours 2.5 GiB-Hours 0.1"},
		{0.6, discovery.Quantity{Amount: "6", Unit: "duration_minutes"}, "6 Minutes 6 Minutes 0.1"},
		{15, discovery.Quantity{Amount: "500000", Unit: "characters"}, "500000 Characters 0.5 1000000 Characters 30"},
		{3, discovery.Quantity{Amount: "3", Unit: "seats"}, "3 USD 3 USD 1"},
		{3, discovery.Quantity{Amount: "0", Unit: "tokens"}, "3 USD 3 USD 1"},
		{3, discovery.Quantity{Amount: "-1", Unit: "tokens"}, "3 USD 3 USD 1"},
		{3, discovery.Quantity{}, "3 USD 3 USD 1"},
		{-3, discovery.Quantity{Amount: "3", Unit: "tokens"}, "    "},
	} {
		var out bytes.Buffer
		require.NoError(t, focus.WriteBill(&out, models.OpenAI, "", []discovery.CostBucket{{
			StartTime: 1793577600, EndTime: 1793664000, TotalUSD: row.usd, LineItemBreakdown: map[string]float64{"item": row.usd},
			LineItemQuantities: map[string]discovery.Quantity{"item": row.quantity},
		}}))
		_, rows := readRows(t, out.String())
		require.Len(t, rows, 1)
		r := rows[0]
		assert.Equal(t, row.want, r["ConsumedQuantity"]+" "+r["ConsumedUnit"]+" "+r["PricingQuantity"]+" "+r["PricingUnit"]+" "+r["ListUnitPrice"])
		assert.Equal(t, r["ListUnitPrice"], r["ContractedUnitPrice"])
	}
}

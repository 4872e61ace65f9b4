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
	"unicode"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/focus"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
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

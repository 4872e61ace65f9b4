package discovery_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// openAIDay is a page with one day in May 2026.
func openAIDay(day int, more bool, results string) string {
	start := mayDay(day).Unix()
	return fmt.Sprintf(`{"object":"page","data":[{"object":"bucket","start_time":%d,"end_time":%d,"results":[%s]}],"has_more":%t,"next_page":null}`, start, start+86400, results, more)
}

func openAIItem(item, usd string) string {
	return fmt.Sprintf(`{"object":"organization.costs.result","amount":{"value":%s,"currency":"usd"},"line_item":%q}`, usd, item)
}

// exported is a row in Google's export for a day in May 2026.
func exported(day int, sku, cost, rest string) string {
	return fmt.Sprintf(`{"service":{"id":"AEFD-7695-64FA"},"sku":{"description":%q},"usage_start_time":"2026-05-%02d 23:00:00 UTC","cost":%s%s}`, sku, day, cost, rest)
}

const (
	flashInput  = "Generate content input token count gemini 3 flash short input text"
	flashOutput = "Generate content output token count gemini 3 flash short output text"
)

func TestSavedPages(t *testing.T) {
	t.Parallel()
	first, second := openAIDay(1, true, openAIItem("gpt-5.2, input", "0.1")+","+openAIItem("gpt-5.2, output", "0.2")), openAIDay(2, false, openAIItem("gpt-5.2, input", "3"))
	for name, file := range map[string]string{
		"one after another": first + second, "lines": first + "\n\n" + second + "\n", "array": "\uFEFF[\n" + first + ",\n" + second + "]",
	} {
		r, err := discovery.ReadOpenAIBill(strings.NewReader(file), discovery.BillOptions{})
		require.NoError(t, err, name)
		assert.True(t, r.Complete && r.Settled)
		assert.Equal(t, 3.3, r.ActualUSD, name)
		assert.Equal(t, []int64{mayDay(1).Unix(), mayDay(3).Unix()}, []int64{r.WindowStart, *r.WindowEnd})
		assert.Equal(t, map[string]float64{"gpt-5.2, input": 0.1, "gpt-5.2, output": 0.2}, r.Buckets[0].LineItemBreakdown)
		assert.Empty(t, r.MissingDays)
	}
	counted := 2.0
	r, err := discovery.ReadOpenAIBill(strings.NewReader(first+second), discovery.BillOptions{From: mayDay(2), To: mayDay(4), AttributedUSD: &counted})
	require.NoError(t, err)
	assert.Equal(t, 3.0, r.ActualUSD)
	assert.Equal(t, 50.0, *r.DriftPct)
	assert.Equal(t, []string{"2026-05-03"}, r.MissingDays)
}

func TestSavedAnthropicBillIsTheRequestedOne(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("testdata/anthropic_costs.json")
	require.NoError(t, err)
	saved, err := discovery.ReadAnthropicBill(strings.NewReader(string(body)), discovery.BillOptions{From: mayDay(1), To: mayDay(8)})
	require.NoError(t, err)
	c := reports(map[string]string{"": string(body)}).inProcess()
	query := reportQuery()
	query.GroupBy = []discovery.GroupBy{discovery.GroupByDescription}
	requested, err := c.ReconcileAnthropicCost(t.Context(), query, nil)
	require.NoError(t, err)
	assert.Equal(t, "2026-05-02", saved.PartialDay)
	saved.PartialDay = ""
	assert.Equal(t, requested, saved)
}

// Only the file's own last day may be billed in part, whatever days are selected.
func TestSavedBillMayEndWithinADay(t *testing.T) {
	t.Parallel()
	const item = `{"object":"organization.costs.result","amount":{"value":1,"currency":"usd"},"line_item":"gpt-5.2, input","quantity":9,"quantity_unit":"tokens"}`
	file := openAIDay(1, true, item) + openAIDay(2, true, item) + openAIDay(3, false, item)
	for _, row := range []struct {
		from, to, twice int
		partial         string
		cause           bills.Cause
	}{
		{1, 4, 2, "2026-05-03", bills.ExtraCalls},
		{2, 3, 2, "", bills.ExtraCalls},
		{1, 3, 2, "", bills.ExtraCalls},
		{1, 4, 3, "2026-05-03", bills.PartialDay},
		{3, 4, 3, "2026-05-03", bills.PartialDay},
	} {
		r, err := discovery.ReadOpenAIBill(strings.NewReader(file), discovery.BillOptions{From: mayDay(row.from), To: mayDay(row.to)})
		require.NoError(t, err)
		l := newTotals()
		for day := row.from; day <= row.to; day++ {
			at := day
			if day == row.to {
				at = row.twice
			}
			require.NoError(t, l.Add(calls.Record{Provider: models.OpenAI, Model: "gpt-5.2", Time: mayDay(at), USD: "1", Usage: json.RawMessage(`{"input_tokens":9,"output_tokens":0,"total_tokens":9}`)}))
		}
		c, err := r.WithCalls(l.Groups()).Compare(0)
		require.NoError(t, err)
		assert.Equal(t, []any{row.partial, row.cause}, []any{r.PartialDay, c.Total.Cause}, row)
	}
}

func TestSavedXAIBill(t *testing.T) {
	t.Parallel()
	const file = `{"timeSeries":[{"group":["Chat grok-4.5"],"dataPoints":[{"timestamp":"2026-05-01T00:00:00Z","values":[1.5]},{"timestamp":"2026-05-02T00:00:00Z","values":["0.25"]}]}],"limitReached":false}`
	r, err := discovery.ReadXAIBill(strings.NewReader(file), discovery.BillOptions{})
	require.NoError(t, err)
	assert.Equal(t, 1.75, r.ActualUSD)
	assert.Equal(t, "grok-4.5", r.Bill().Items[0].Model)
	r, err = discovery.ReadXAIBill(strings.NewReader(file+strings.ReplaceAll(file, "2026-05", "2026-06")), discovery.BillOptions{From: mayDay(2)})
	require.NoError(t, err)
	assert.Equal(t, 2.0, r.ActualUSD)
	for want, file := range map[string]string{
		"line 2 of the bill: a series has the same day": file + "\n" + file,
		"limitReached is true":                          strings.Replace(file, "false", "true", 1),
		"TIME_UNIT_DAY in Etc/GMT":                      strings.Replace(file, "T00", "T01", 1),
		"the bill must have UTC days":                   strings.Replace(file, `"timestamp":"2026-05-02T00:00:00Z",`, "", 1),
		"something other than time series":              `{"error":"no"}`,
		"From and To must be set":                       `{}`,
	} {
		_, err := discovery.ReadXAIBill(strings.NewReader(file), discovery.BillOptions{})
		assert.ErrorContains(t, err, want)
	}
}

func TestGoogleExport(t *testing.T) {
	t.Parallel()
	const storage = "Generate content cached content gemini 3 flash storage by hour"
	rows := []string{
		exported(2, flashInput, "1.1", `,"currency":"USD","currency_conversion_rate":1,"credits":[{"name":"Promotion","amount":-0.1}]`),
		`{"service":{"id":"6F81-5844-456A","description":"Compute Engine"}}`,
		exported(1, flashOutput, `"2.7"`, `,"currency":"EUR","currency_conversion_rate":"0.9","credits":null`),
		exported(1, storage, "1E-7", ""),
		strings.Replace(exported(1, flashInput, "0.1", ""), " UTC", "", 1),
	}
	for _, file := range []string{strings.Join(rows, "\n"), "\n" + strings.Join(rows, "\r\n\n") + "\n", "[" + strings.Join(rows, ",\n") + "]"} {
		r, err := discovery.ReadGeminiBill(strings.NewReader(file), discovery.BillOptions{})
		require.NoError(t, err)
		assert.Equal(t, 1, r.IgnoredRows)
		assert.Equal(t, 4.1000001, r.ActualUSD)
		require.Len(t, r.Buckets, 2)
		assert.Equal(t, map[string]float64{flashInput: 1.1, "Credit: Promotion": -0.1}, r.Buckets[1].LineItemBreakdown)

		sum := newTotals()
		for _, model := range []string{"gemini-3-flash-preview", "gemini-2.5-pro"} {
			add(sum, mayDay(1).Add(time.Hour), models.Gemini, model, "1")
		}
		c, err := r.WithCalls(sum.Groups()).Compare(0)
		require.NoError(t, err)
		assert.Equal(t, [][4]string{{"gemini-2.5-pro", "0", "1", "extra_calls"}, {"gemini-3-flash", "4.2", "1", "amount_differs"}}, shown(c.Models...))
		assert.Equal(t, []string{"Credit: Promotion", storage}, c.OtherItems)
		text, err := r.MarshalJSON()
		require.NoError(t, err)
		assert.Contains(t, string(text), `"gemini_actual_usd":4.1000001`)
	}
	r, err := discovery.ReadGeminiBill(strings.NewReader(strings.Join(rows, "\n")), discovery.BillOptions{From: mayDay(2), To: mayDay(5)})
	require.NoError(t, err)
	assert.Equal(t, 1.0, r.ActualUSD)
	assert.Empty(t, r.MissingDays, "a day without use has no row")
}

// Exports state quantities. Rows for anything but usage, such as taxes, are fees,
// whatever their SKU.
func TestQuantitiesOfAGoogleExport(t *testing.T) {
	t.Parallel()
	used := func(amount, rest string) string { return `,"usage":{"amount":` + amount + `,"unit":"count"}` + rest }
	const storage = "Generate content cached content gemini 3 flash storage by hour"
	rows := []string{
		exported(1, flashInput, "1", used("1000000", "")), exported(1, flashInput, "0.5", used(`"500000.0"`, `,"cost_type":"regular"`)), exported(1, flashOutput, "1", used("5", "")),
		exported(1, flashOutput, "1", ""), exported(1, storage, "2", `,"usage":{"amount":3.5,"unit":"byte-seconds"}`),
		exported(1, flashInput, "-0.25", used("0", `,"cost_type":"adjustment"`)), exported(1, "Tax", "0.4", `,"cost_type":"tax"`),
	}
	r, err := discovery.ReadGeminiBill(strings.NewReader(strings.Join(rows, "\n")), discovery.BillOptions{})
	require.NoError(t, err)
	item := func(name, model, kind string, usd prices.USD, tokens *int64) bills.Item {
		return bills.Item{Day: "2026-05-01", Name: name, Model: model, Kind: kind, USD: usd, Tokens: tokens}
	}
	assert.Equal(t, []bills.Item{
		item("Adjustment: "+flashInput, "", bills.KindOther, "-0.25", nil), item(storage, "", bills.KindOther, "2", nil),
		item(flashInput, "gemini-3-flash", "input", "1.5", ptr(int64(1_500_000))), item(flashOutput, "gemini-3-flash", "output", "2", nil), item("Tax: Tax", "", bills.KindOther, "0.4", nil),
	}, itemsOf(r))
	assert.Equal(t, map[string]discovery.Quantity{flashInput: {Amount: "1500000", Unit: "tokens"}, storage: {Amount: "3.5", Unit: "byte-seconds"}}, r.Buckets[0].LineItemQuantities)
}

// Anthropic's line items get their tokens from saved usage reports, with buckets of any
// width.
func TestSavedAnthropicUsage(t *testing.T) {
	t.Parallel()
	const place = `"model":"claude-opus-4-8","service_tier":"standard","context_window":"0-200k","inference_geo":"not_available"`
	page := func(more bool, from, to, results string) string {
		return fmt.Sprintf(`{"data":[{"starting_at":%q,"ending_at":%q,"results":[%s]}],"has_more":%t,"next_page":"x"}`, from, to, results, more)
	}
	used := func(hour int, tokens string) string {
		return page(false, fmt.Sprintf("2026-05-01T%02d:00:00Z", hour), fmt.Sprintf("2026-05-01T%02d:00:00Z", hour+1), `{"uncached_input_tokens":`+tokens+`,"output_tokens":7,`+place+`}`)
	}
	costs := page(false, "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z", `{"amount":"150","currency":"USD","cost_type":"tokens","description":"Input","token_type":"uncached_input_tokens",`+place+`}`)
	for file, tokens := range map[string]*int64{
		costs: nil, costs + used(3, "40") + used(4, "2"): ptr(int64(42)), used(3, "40") + costs: ptr(int64(40)), costs + used(3, "-1"): nil, costs + used(3, "1e30"): nil,
	} {
		r, err := discovery.ReadAnthropicBill(strings.NewReader(file), discovery.BillOptions{})
		require.NoError(t, err)
		assert.Equal(t, []bills.Item{{Day: "2026-05-01", Name: "Input", Model: "claude-opus-4-8", Kind: "input", USD: "1.5", Tokens: tokens}}, r.Bill().Items, file)
		var back discovery.ReconciliationReport[discovery.CostBucket]
		require.NoError(t, json.Unmarshal([]byte(asJSON(t, r)), &back))
		assert.Equal(t, r.Bill(), back.Bill())
	}
	for want, file := range map[string]string{
		"has_more is true": strings.Replace(used(3, "1"), "false", "true", 1) + costs,
		"two days overlap": costs + costs + used(3, "1"),
		"no days":          used(3, "1"),
	} {
		_, err := discovery.ReadAnthropicBill(strings.NewReader(file), discovery.BillOptions{})
		assert.ErrorContains(t, err, want)
	}
}

// If a quotient or a quantity exceeds the supported range, it's an error.
func TestNumbersOfAGoogleExportAreBounded(t *testing.T) {
	t.Parallel()
	for _, rest := range []string{
		`,"currency":"EUR","currency_conversion_rate":1e-400`, `,"currency":"EUR","currency_conversion_rate":"1e-6250"`, `,"currency":"EUR","currency_conversion_rate":1e-31`,
		`,"usage":{"amount":1e31}`, `,"credits":[{"name":"x","amount":-1e31}]`,
	} {
		_, err := discovery.ReadGeminiBill(strings.NewReader(exported(1, flashInput, "1", rest)), discovery.BillOptions{})
		var bill *discovery.BillError
		require.ErrorAs(t, err, &bill, rest)
		assert.Equal(t, 1, bill.Line)
	}
}

// A bill cut off between two rows must not be complete, and an error must not show a key
// pasted in place of an amount.
func TestWrongSavedBills(t *testing.T) {
	t.Parallel()
	const secret = "sk-private"
	page := openAIDay(1, false, openAIItem("gpt-5.2, input", "0.1"))
	for _, c := range []struct {
		provider models.Provider
		file     string
		line     int
		want     string
	}{
		{models.OpenAI, "", 1, "no bill"},
		{models.OpenAI, page + "\n" + openAIDay(2, true, ""), 2, "has_more is true"},
		{models.OpenAI, page + "\n\n{\n\"data\": x", 4, "not valid JSON"},
		{models.OpenAI, page + "\n{\n\"data\": [", 3, "ends within"},
		{models.OpenAI, "[" + page + ",\n" + page[:50], 2, "ends within"},
		{models.OpenAI, "[\n" + page + "\n", 3, "ends within"},
		{models.OpenAI, page + page, 0, "two days overlap"},
		{models.OpenAI, "\n" + strings.Replace(page, `"usd"`, `"eur"`, 1), 2, "not in US dollars"},
		{models.OpenAI, strings.Replace(page, `"has_more":false,`, "", 1), 1, "has_more"},
		{models.OpenAI, `{"data":[],"has_more":false}`, 0, "From and To must be set"},
		{models.OpenAI, `{"data":"` + secret + `","has_more":false}`, 1, "data"},
		{models.Gemini, "", 1, "no bill"},
		{models.Gemini, "{}\n", 1, "gcp_billing_export_v1"},
		{models.Gemini, page, 1, "it is a bill from openai"},
		{models.Anthropic, page, 1, "it is a bill from openai"},
		{models.XAI, page, 1, "it is a bill from openai"},
		{models.Gemini, `{"data":[],"has_more":false}`, 1, "has no service"}, // from OpenAI or Anthropic
		{models.OpenAI, `{"data":[{"starting_at":"2026-05-01T00:00:00Z","ending_at":"2026-05-02T00:00:00Z","results":[]}],"has_more":false,"next_page":null}`, 1, "it is a bill from anthropic"},
		{models.OpenAI, exported(1, flashInput, "1", ""), 1, "it is a bill from gemini"},
		{models.OpenAI, `{"timeSeries":[{"group":["x"],"dataPoints":[{"timestamp":"2026-05-01T00:00:00Z","values":[1.5]}]}],"limitReached":false}`, 1, "it is a bill from xai"},
		{models.OpenAI, `{"timeSeries":[]}`, 1, "data: required field"},
		{models.OpenAI, "[]", 1, "the file has no bill"},
		{models.Gemini, exported(1, flashInput, "1", "") + "\n\n" + exported(1, flashInput, `"`+secret+`"`, ""), 3, "not valid|number"},
		{models.Gemini, exported(1, flashInput, "null", ""), 1, "no cost"},
		{models.Gemini, exported(1, "", "1", ""), 1, "SKU"},
		{models.Gemini, exported(1, flashInput, "1", `,"currency":"EUR"`), 1, "currency_conversion_rate above 0"},
		{models.Gemini, exported(1, flashInput, "1", `,"currency":"EUR","currency_conversion_rate":0`), 1, "currency_conversion_rate above 0"},
		{models.Gemini, exported(1, flashInput, "1", `,"credits":[{"name":"x"}]`), 1, `credits\[0\]: a credit has no amount`},
		{models.Gemini, exported(1, flashInput, "1", `,"cost":2`), 1, "repeated"},
		{models.Gemini, exported(99, flashInput, "1", ""), 1, "time"},
		{models.Gemini, exported(1, flashInput, "1e999", ""), 1, "out of range"},
		{models.Gemini, "[" + exported(1, flashInput, "1", ""), 1, "ends within"},
		{models.Gemini, "\n" + secret, 2, "one row per line"},
	} {
		err := readBill(c.provider, strings.NewReader(c.file), discovery.BillOptions{})
		var bill *discovery.BillError
		require.ErrorAs(t, err, &bill, c.file)
		assert.Regexp(t, c.want, err.Error())
		assert.Equal(t, c.line, bill.Line, "%s: %s", c.file, err)
		assert.NotContains(t, err.Error(), secret)
	}
	broken := errors.New("broken")
	for _, p := range []models.Provider{models.OpenAI, models.Anthropic, models.XAI, models.Gemini} {
		require.ErrorIs(t, readBill(p, io.MultiReader(strings.NewReader(" "), errorReader{broken}), discovery.BillOptions{}), broken, p)
		nan := math.NaN()
		for field, query := range map[string]discovery.BillOptions{
			"From": {From: mayDay(1).Add(time.Second)}, "To": {To: mayDay(1).Add(1)}, "attributedUSD": {AttributedUSD: &nan},
		} {
			var value *discovery.ValueError
			require.ErrorAs(t, readBill(p, strings.NewReader(""), query), &value)
			assert.Equal(t, field, value.Field)
		}
	}
	var value *discovery.ValueError
	require.ErrorAs(t, readBill(models.OpenAI, strings.NewReader(page), discovery.BillOptions{From: mayDay(2)}), &value)
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

// readBill reads a bill, and builds everything that can be derived from it.
func readBill(p models.Provider, r io.Reader, query discovery.BillOptions) error {
	switch p {
	case models.OpenAI:
		return use(discovery.ReadOpenAIBill(r, query))
	case models.Anthropic:
		return use(discovery.ReadAnthropicBill(r, query))
	case models.XAI:
		return use(discovery.ReadXAIBill(r, query))
	default:
		bill, err := discovery.ReadGeminiBill(r, query)
		return use(bill, err)
	}
}

func use[B discovery.Bucket](r *discovery.ReconciliationReport[B], err error) error {
	if err != nil {
		return err
	}
	c, err := r.WithCalls([]calls.Group{{Names: []string{"day", "model", "provider", "platform", "billing"}, Values: []string{"2026-05-01", "gpt-5.2", string(r.Provider), "", ""}, Calls: 1, USD: "1"}}).Compare(0)
	var value *discovery.ValueError
	switch {
	case errors.As(err, &value): // the sum exceeds what can be compared
		return nil
	case err != nil:
		return err
	case len(c.Sentences()) == 0:
		return errors.New("nothing to say")
	}
	if err := r.Table(io.Discard); err != nil {
		return err
	}
	_, err = r.MarshalJSON()
	return err
}

// FuzzSavedBill reads any file as every provider's bill: the result is a whole report or
// a BillError.
func FuzzSavedBill(f *testing.F) {
	page := openAIDay(1, false, openAIItem("gpt-5.2, input", "0.1"))
	for _, file := range []string{page, "[" + page + "]", "[", "[,", page + "}", exported(1, flashInput, "1", ""), `{"timeSeries":[]}`, reportPage(false, "null", reportDay(1, cents("10", ""))), "\uFEFF[]", "[1 2]", exported(1, flashInput, "1", `,"currency":"EUR","currency_conversion_rate":1e-400,"usage":{"amount":3}`)} {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file string) {
		for _, p := range []models.Provider{models.OpenAI, models.Anthropic, models.XAI, models.Gemini} {
			err := readBill(p, strings.NewReader(file), discovery.BillOptions{})
			var bill *discovery.BillError
			if err == nil {
				continue
			}
			require.ErrorAs(t, err, &bill)
			assert.LessOrEqual(t, bill.Line, strings.Count(file, "\n")+1)
		}
	})
}

package cost

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// options has a bill with 4 USD for gpt-5.4 and 1 USD for gpt-5.2, and calls: one to
// gpt-5.2 for 2 USD, and another provider's.
func options(t *testing.T) (o *Options, out, errs *strings.Builder) {
	t.Helper()
	write := func(name, text string) string {
		name = filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	out, errs = &strings.Builder{}, &strings.Builder{}
	return &Options{
		App: &app.App{In: strings.NewReader(""), Out: out, Errs: errs, Format: "text"}, provider: "openai", maxDrift: 2,
		saved: write("bill.json", `{"object":"page","data":[{"object":"bucket","start_time":1795132800,"end_time":1795219200,"results":[`+
			`{"object":"organization.costs.result","amount":{"value":4,"currency":"usd"},"line_item":"gpt-5.4, input","quantity":4,"quantity_unit":"tokens"},`+
			`{"object":"organization.costs.result","amount":{"value":1,"currency":"usd"},"line_item":"gpt-5.2, input","quantity":100,"quantity_unit":"tokens"}]}],`+
			`"has_more":false,"next_page":null}`),
		usage: write("calls.jsonl", `{"provider":"openai","model":"gpt-5.2","time":"2026-11-20T12:00:00Z","usage":{"input_tokens":200,"output_tokens":0,"total_tokens":200},"usd":"2"}
{"provider":"xai","model":"grok-4","time":"2026-11-20T12:00:00Z","usage":null,"usd":"7"}
`),
	}, out, errs
}

func TestRunComparesABillWithCalls(t *testing.T) {
	t.Parallel()
	o, out, errs := options(t)
	o.html = filepath.Join(t.TempDir(), "page.html")
	require.ErrorIs(t, run(t.Context(), o), exit.ErrFound)
	verdict := "Bill and calls differ by 60.0 % of the bill, more than the limit of 2 %."
	assert.True(t, strings.HasPrefix(out.String(), verdict+"\nBilled 5.00 USD, counted 2.00 USD; +3.00 USD: +4.00 for a model that was not counted"), out)
	assert.NotContains(t, errs.String(), verdict)
	assert.Equal(t, 1, strings.Count(out.String(), "%\n")+strings.Count(out.String(), "% of the bill"), "one percentage")
	page, err := os.ReadFile(o.html)
	require.NoError(t, err)
	assert.Contains(t, string(page), verdict)

	o, out, _ = options(t)
	o.maxDrift = 60
	require.NoError(t, run(t.Context(), o))
	assert.True(t, strings.HasPrefix(out.String(), "Bill and calls differ by 60.0 % of the bill, within the limit of 60 %."), out)
}

// A pipe to head closes stdout early.
func TestRunWritesThePageFirst(t *testing.T) {
	t.Parallel()
	o, _, _ := options(t)
	o.html = filepath.Join(t.TempDir(), "page.html")
	o.Out = closedPipe{}
	require.ErrorIs(t, run(t.Context(), o), io.ErrClosedPipe)
	page, err := os.ReadFile(o.html)
	require.NoError(t, err)
	assert.Contains(t, string(page), "Bill and calls differ by 60.0 % of the bill")
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A call that was recorded without a price gets one only with --reprice.
func TestRunReprices(t *testing.T) {
	t.Parallel()
	for reprice, verdict := range map[bool]string{
		false: "Unknown whether bill and calls differ by more than 2 % of the bill.", true: "Bill and calls differ by 100.0 % of the bill, more than the limit of 2 %.",
	} {
		o, out, errs := options(t)
		o.reprice = reprice
		require.NoError(t, os.WriteFile(o.usage, []byte(`{"provider":"openai","model":"gpt-5.2","time":"2026-11-20T12:00:00Z","path":"/v1/responses","status":200,"complete":true,`+
			`"usage":{"input_tokens":200,"output_tokens":0,"total_tokens":200},"usd":null,"unpriced":"prices: unknown cost: model: gpt-5.2 has no price"}`), 0o600))
		require.ErrorIs(t, run(t.Context(), o), exit.ErrFound)
		assert.True(t, strings.HasPrefix(out.String(), verdict), out)
		assert.Equal(t, !reprice, strings.Contains(errs.String(), "with --prices, and set --reprice"), errs)
	}
}

func TestRunWritesJSONAndFOCUS(t *testing.T) {
	t.Parallel()
	o, out, _ := options(t)
	o.Format = "json"
	require.ErrorIs(t, run(t.Context(), o), exit.ErrFound)
	var shown struct {
		Billed     float64 `json:"openai_actual_usd"`
		Counted    float64 `json:"attributed_usd"`
		Comparison struct {
			Within bool `json:"within"`
			Total  struct {
				Drift string `json:"drift_usd"`
			} `json:"total"`
		} `json:"comparison"`
	}
	require.NoError(t, json.Unmarshal([]byte(out.String()), &shown))
	assert.Equal(t, []any{5.0, 2.0, false, "3"}, []any{shown.Billed, shown.Counted, shown.Comparison.Within, shown.Comparison.Total.Drift})

	for _, usage := range []bool{true, false} {
		o, out, errs := options(t)
		o.Format = "csv"
		want, err := "day,billed_usd,counted_usd,drift_usd,unpriced\n2026-11-20,5,2,3,0\n", exit.ErrFound
		if !usage {
			o.usage, want, err = "", "day,billed_usd\n2026-11-20,5\n", nil
		}
		require.ErrorIs(t, run(t.Context(), o), err)
		assert.Equal(t, want, out.String())
		assert.Equal(t, usage, strings.Contains(errs.String(), "mesh: Bill and calls differ by 60.0 % of the bill"))
	}

	o, out, _ = options(t)
	o.Format, o.usage = "focus", ""
	require.NoError(t, run(t.Context(), o))
	rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	require.NoError(t, err)
	assert.Len(t, rows, 3)
}

// The page has only the calls, and the error names the key.
func TestRunWithoutABill(t *testing.T) {
	t.Setenv("OPENAI_ADMIN_KEY", "")
	o, _, errs := options(t)
	o.saved, o.html, o.From, o.To = "", filepath.Join(t.TempDir(), "page.html"), "2026-11-20", "2026-11-21"
	var usage *exit.Error
	err := run(t.Context(), o)
	require.ErrorAs(t, err, &usage)
	require.ErrorContains(t, err, "OPENAI_ADMIN_KEY is not set. An ordinary API key does not give access to bills.")
	assert.Contains(t, errs.String(), "the bill could not be read: "+o.html+" has only the calls")
	page, err := os.ReadFile(o.html)
	require.NoError(t, err)
	assert.Contains(t, string(page), "$2.00")
}

// Days that don't differ are only shown with --all.
func TestRunShowsTheDaysThatDiffer(t *testing.T) {
	t.Parallel()
	for _, all := range []bool{false, true} {
		o, out, _ := options(t)
		o.all = all
		bill := `{"object":"page","data":[{"object":"bucket","start_time":1795132800,"end_time":1795219200,"results":[{"object":"organization.costs.result","amount":{"value":2,"currency":"usd"}}]},` +
			`{"object":"bucket","start_time":1795219200,"end_time":1795305600,"results":[{"object":"organization.costs.result","amount":{"value":1,"currency":"usd"}}]}],"has_more":false,"next_page":null}`
		require.NoError(t, os.WriteFile(o.saved, []byte(bill), 0o600))
		require.ErrorIs(t, run(t.Context(), o), exit.ErrFound)
		assert.Contains(t, out.String(), "\n  2026-11-21    1.00     0.00\n")
		assert.Equal(t, all, strings.Contains(out.String(), "\n  2026-11-20    2.00     2.00\n"), out)
	}
}

func TestRunNamesWhatBillTakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"start_time,end_time,amount_value,amount_currency\n1795132800,1795219200,4.2,usd\n": ": a CSV export from a provider's usage page is not a bill; --bill takes the JSON responses of GET /v1/organization/costs",
		"\"start_time\",\"amount_value\"\n1795132800,4.2\n":                                 ": a CSV export ",
		"\ufeffdate;cost\n2026-11-20;5\n":                                                   "it is not valid JSON; --bill takes the JSON responses of GET",
		"<html></html>":                                                                     "it is not valid JSON; --bill takes the JSON responses of GET",
		"":                                                                                  "the file has no bill; --bill takes the JSON responses of GET",
		`{"object":"list"}`:                                                                 "; --bill takes the JSON responses of GET",
		`[1,2]`:                                                                             "; --bill takes the JSON responses of GET",
		`{"openai_actual_usd":5}`:                                                           "; --bill takes the JSON responses of GET",
	} {
		o, _, _ := options(t)
		require.NoError(t, os.WriteFile(o.saved, []byte(text), 0o600))
		var usage *exit.Error
		err := run(t.Context(), o)
		require.ErrorAs(t, err, &usage, text)
		assert.ErrorContains(t, err, want, text)
	}
}

func TestRunRefusesWrongUse(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*Options){
		`no bills from "deepseek"`:     func(o *Options) { o.provider = "deepseek" },
		"--from or --last is required": func(o *Options) { o.saved = "" },
		`--from "x" must be a day`:     func(o *Options) { o.From = "x" },
		`--from "2026-11-31" does not`: func(o *Options) { o.From = "2026-11-31" },
		`--last "all" must be days`:    func(o *Options) { o.Last = "all" },
		"use mesh cost openai":         func(o *Options) { o.provider = "xai" },
		"--from must be before --to":   func(o *Options) { o.From, o.To = "2026-11-21", "2026-11-21" },
		"select no days in":            func(o *Options) { o.From = "2026-11-22" },
		"no such file or directory":    func(o *Options) { o.saved += "x" },
		"--usage: ":                    func(o *Options) { o.usage += "x" },
		"-o focus writes only the":     func(o *Options) { o.Format = "focus" },
		"--label needs --usage":        func(o *Options) { o.usage, o.Match = "", map[string]string{"a": "b"} },
		"--reprice needs --usage":      func(o *Options) { o.usage, o.reprice = "", true },
		"--all needs --usage":          func(o *Options) { o.usage, o.all = "", true },
		"--max-drift must not":         func(o *Options) { o.maxDrift = -1 },
	} {
		o, out, _ := options(t)
		change(o)
		err := run(t.Context(), o)
		var usage *exit.Error
		require.ErrorAs(t, err, &usage, want)
		require.ErrorContains(t, err, want)
		assert.Empty(t, out.String())
	}
}

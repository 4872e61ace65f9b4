// The same calls must have the same amounts in a meter, sums, the report and the command.

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// equalFiles has a call for each kind of cost: 1 and 4 USD, a bound (3), a subscription
// (2), an upstream part (0.5), a failed call, an unpriced one, and a closed stream that
// was fetched later (0.25). Other files are copies.
func equalFiles(t *testing.T) (dir, bill string) {
	t.Helper()
	line := func(id, more string) string {
		return fmt.Sprintf(`{"provider":"openai","model":"gpt-4o","time":"2026-11-20T12:00:00Z","usage":null,"id":%q,%s}`+"\n", id, more)
	}
	first := line("resp_1", `"usd":"1"`) + line("resp_2", `"usd":null,"unpriced":"closed","bound_usd":"3","status":200,"complete":false`) +
		line("resp_3", `"usd":"2","billing":"subscription"`) + line("resp_4", `"usd":"0","upstream_usd":"0.5","byok":true`) +
		line("resp_5", `"usd":"0","status":500`) + line("resp_6", `"usd":null,"unpriced":"why","status":200`) +
		line("resp_7", `"usd":null,"unpriced":"closed","status":200,"complete":false,"path":"/v1/responses"`)
	second := line("resp_7", `"usd":"0.25","path":"/v1/responses/resp_7"`) + line("resp_8", `"usd":"4"`) + line("resp_1", `"usd":"1"`)
	dir = t.TempDir()
	for name, text := range map[string]string{"a.jsonl": first, "b.jsonl": second, "b.jsonl.gz": second, "copy/a.jsonl": first} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	bill = filepath.Join(t.TempDir(), "bill.json")
	const bucket = `{"object":"page","data":[{"object":"bucket","start_time":1795132800,"end_time":1795219200,"results":[{"object":"organization.costs.result",` +
		`"amount":{"value":5.25,"currency":"usd"},"line_item":null}]}],"has_more":false,"next_page":null}`
	require.NoError(t, os.WriteFile(bill, []byte(bucket), 0o600))
	return dir, bill
}

// Amounts for equalFiles. equalAtLeast adds the bound to equalUSD, and equalSpent also
// the upstream part. equalCharges is equalSpent without the subscription.
const (
	equalCalls    = 8
	equalUnpriced = 2
	equalUSD      = "7.25"
	equalAtLeast  = "10.25"
	equalSpent    = "10.75"
	equalCharges  = "8.75"
	equalBill     = "5.25"
)

func equalMesh(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "mesh", args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the status is 1 if a call has no row
	return out.String(), errs.String()
}

func checkGroup(t *testing.T, g calls.Group) {
	t.Helper()
	assert.Equal(t, [4]int{equalCalls, equalUnpriced, 1, 1}, [4]int{g.Calls, g.Unpriced, g.Bounded, g.Failed})
	assert.Equal(t, [5]prices.USD{equalUSD, "3", equalAtLeast, "2", "0.5"}, [5]prices.USD{g.USD, g.BoundUSD, g.AtLeastUSD, g.SubscriptionUSD, g.UpstreamUSD})
}

func TestAmountsOfPackagesAreEqual(t *testing.T) {
	t.Parallel()
	dir, _ := equalFiles(t)
	var copies []string
	groups, err := calls.Sum(calls.Options{OnCopies: func(c calls.Copies) { copies = append(copies, c.String()) }}, dir)
	require.NoError(t, err)
	checkGroup(t, groups[0][0])
	require.Len(t, copies, 4)

	totals, err := calls.NewTotals()
	require.NoError(t, err)
	for r, err := range calls.Once(calls.Read(calls.Options{Recorded: true}, dir)) {
		require.NoError(t, err)
		require.NoError(t, totals.Add(r))
	}
	checkGroup(t, totals.Groups()[0])

	for spent, option := range map[string]meter.Option{equalSpent: nil, equalCharges: meter.WithChargesOnly()} {
		m, err := meter.New(meter.WithBudget(meter.Budget{USD: "20"}), option)
		require.NoError(t, err)
		require.NoError(t, m.Restore(calls.Read(calls.Options{Recorded: true}, dir)))
		assert.Equal(t, meter.Spent{USD: equalUSD, AtLeastUSD: equalAtLeast, Calls: equalCalls, Unpriced: equalUnpriced}, m.Spent())
		assert.EqualValues(t, spent, m.Budgets()[0].SpentUSD)
	}

	day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for spent, only := range map[string]bool{equalSpent: false, equalCharges: true} {
		o := report.Options{From: day, To: day.AddDate(0, 0, 1), Budgets: []string{"20"}, ChargesOnly: only}
		read, err := report.Read(o, dir)
		require.NoError(t, err)
		built, err := report.Build(calls.Read(calls.Options{Recorded: true}, dir), o)
		require.NoError(t, err)
		require.Len(t, read.Source.Copies, 4)
		for _, r := range []*report.Report{read, built} {
			assert.Equal(t, []any{equalCalls, equalUnpriced, 1, prices.USD(equalUSD), prices.USD("3"), prices.USD("2"), prices.USD(spent)},
				[]any{r.Total.Calls, r.Total.Unpriced, r.Total.Failed, r.Total.USD, r.Total.BoundUSD, r.Total.SubscriptionUSD, r.Budgets[0].SpentUSD})
		}
	}
}

func TestAmountsOfTheCommandAreEqual(t *testing.T) {
	t.Parallel()
	dir, bill := equalFiles(t)
	out, errs := equalMesh(t, "usage", dir, "-o", "json", "--budget", "20", "--from", "2026-11-20", "--to", "2026-11-21")
	for _, note := range []string{"b.jsonl.gz is a copy", "a.jsonl count once; copies: 1 (resp_1)", "copies: 7 (resp_1, resp_3, resp_4, …)"} {
		assert.Contains(t, errs, note)
	}
	var page struct {
		Rows []calls.Group `json:"rows"`

		Budgets []struct {
			Spent string `json:"spent_usd"`
		} `json:"budgets"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &page))
	checkGroup(t, page.Rows[0])
	assert.Equal(t, equalSpent, page.Budgets[0].Spent)

	out, _ = equalMesh(t, "usage", dir, "-o", "csv", "--from", "2026-11-20", "--to", "2026-11-21")
	assert.Contains(t, out, fmt.Sprintf("openai,gpt-4o,%d,%d,", equalCalls, equalUnpriced))
	assert.Contains(t, out, ","+equalUSD+","+equalAtLeast)

	out, errs = equalMesh(t, "usage", dir, "-o", "focus", "--from", "2026-11-20", "--to", "2026-11-21")
	assert.Contains(t, errs, "have no row: 2")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	require.NoError(t, err)
	billed := new(big.Rat)
	for _, row := range rows[1:] {
		usd, ok := new(big.Rat).SetString(row[0])
		require.True(t, ok)
		billed.Add(billed, usd)
	}
	assert.Equal(t, equalBill, billed.FloatString(2), "the subscription isn't billed")

	html := filepath.Join(t.TempDir(), "page.html")
	out, _ = equalMesh(t, "usage", dir, "--budget", "20", "--html", html, "--by", "provider,model", "--from", "2026-11-20", "--to", "2026-11-21")
	assert.Regexp(t, fmt.Sprintf(`(?m)^openai +gpt-4o +%d .* %d +at least %s$`, equalCalls, equalUnpriced, equalAtLeast), out)
	assert.Contains(t, out, fmt.Sprintf("\ntotal at least %s USD; calls: %d, unpriced: %d\nincluded: 2 USD ", equalAtLeast, equalCalls, equalUnpriced))
	assert.Contains(t, out, "\nnot included: 0.5 USD ")
	assert.Contains(t, out, "spent: "+equalSpent)
	text, err := os.ReadFile(html)
	require.NoError(t, err)
	for _, amount := range []string{"$" + equalUSD, "$9.25"} { // the second is what's left in the budget
		assert.Contains(t, string(text), amount)
	}

	for part, only := range map[string]string{"53 %": "--charges-only=false", "43 %": "--charges-only"} { // budget: 20 USD
		out, _ = equalMesh(t, "usage", dir, "--line", "--budget", "20", only)
		assert.Contains(t, out, "20: "+part)
	}

	out, _ = equalMesh(t, "cost", "openai", "--bill", bill, "--usage", dir)
	assert.Contains(t, out, "Billed "+equalBill+" USD, counted "+equalBill+" USD")
	out, errs = equalMesh(t, "cost", "openai", "--bill", bill, "--usage", dir, "-o", "json")
	assert.Contains(t, errs, "b.jsonl.gz is a copy")
	var cost struct {
		Comparison struct {
			Total struct {
				Counted string `json:"counted_usd"`
			} `json:"total"`
		} `json:"comparison"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &cost))
	assert.Equal(t, equalBill, cost.Comparison.Total.Counted, out)
}

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report/page"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// repricedLine's list price is 2.5 USD. A recorded cost is 7.25, or 0 for a refused call.
const repricedLine = `{"provider":"openai","model":"gpt-4o","time":"%s","usage":{"prompt_tokens":1000000,"completion_tokens":0,"total_tokens":1000000}%s}` + "\n"

// Every surface must count a call in the same way, with or without --reprice.
func TestOneRuleForWhatCounts(t *testing.T) {
	t.Parallel()
	recent := time.Now().UTC().AddDate(0, 0, -2).Format(time.RFC3339) // a page shows the last 28 days
	for name, line := range map[string]struct{ more, usd, repriced, page string }{
		"complete":                     {`,"usd":"7.25"`, "7.25", "2.5", "2.5"},
		"closed, but charged":          {`,"usd":"7.25","complete":false`, "7.25", "7.25", "7.25"},
		"closed, but charged, metered": {`,"usd":"7.25","complete":false,"path":"/v1/chat/completions","status":200,"stream":true`, "7.25", "7.25", "7.25"},
		"closed":                       {`,"usd":null,"unpriced":"closed","complete":false,"status":200`, "0", "0", "2.5"}, // at least
		"unpriced":                     {`,"usd":null,"unpriced":"no price"`, "0", "2.5", "2.5"},
		"from another program":         {``, "2.5", "2.5", "2.5"},
		"refused":                      {`,"usd":"0","status":429,"complete":false`, "0", "0", "0"},
		"subscription":                 {`,"usd":"7.25","billing":"subscription"`, "7.25", "2.5", "2.5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "calls.jsonl")
			require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, repricedLine, recent, line.more), 0o600))
			for reprice, want := range map[bool]string{false: line.usd, true: line.repriced} {
				drawn := want
				if reprice {
					drawn = line.page
				}
				for surface, usd := range packageCosts(t, file, reprice) {
					if strings.HasPrefix(surface, "page") {
						assert.Equal(t, drawn, usd, "%s, reprice %v", surface, reprice)
						continue
					}
					assert.Equal(t, want, usd, "%s, reprice %v", surface, reprice)
				}
				checkCommand(t, file, reprice, want, drawn, strings.Contains(line.more, "subscription"))
			}
		})
	}
}

// packageCosts returns a file's cost as each package computes it.
func packageCosts(t *testing.T, file string, reprice bool) map[string]string {
	t.Helper()
	o := calls.Options{Reprice: reprice}
	groups, err := calls.Sum(o, file)
	require.NoError(t, err)
	usd := map[string]string{"Sum": string(groups[0][0].USD)}

	for r, err := range calls.Read(o, file) {
		require.NoError(t, err)
		usd["Read"] = string(r.USD)
		if r.USD == "" {
			usd["Read"] = "0"
		}
	}
	read, recorded := newTotals(t), newTotals(t)
	for r := range calls.Read(o, file) {
		require.NoError(t, read.Add(r))
	}
	for r := range calls.Read(calls.Options{Recorded: true}, file) {
		counted, err := r.Count(nil, reprice)
		require.NoError(t, err)
		require.NoError(t, recorded.Add(counted))
	}
	usd["Totals of Read"], usd["Totals of Count"] = string(read.Groups()[0].USD), string(recorded.Groups()[0].USD)

	m, err := meter.New()
	require.NoError(t, err)
	require.NoError(t, m.Restore(calls.Read(o, file)))
	usd["Restore"] = string(m.Spent().USD)

	for name, records := range map[string]*report.Report{"report.Read": readReport(t, file, reprice), "report.Build": builtReport(t, file, reprice)} {
		usd[name] = string(records.Total.USD)
		var html bytes.Buffer
		require.NoError(t, page.Write(&html, records))
		usd["page of "+name] = pageCost(html.String())
	}
	return usd
}

func newTotals(t *testing.T) *calls.Totals {
	t.Helper()
	totals, err := calls.NewTotals()
	require.NoError(t, err)
	return totals
}

func readReport(t *testing.T, file string, reprice bool) *report.Report {
	t.Helper()
	r, err := report.Read(report.Options{Reprice: reprice}, file)
	require.NoError(t, err)
	return r
}

func builtReport(t *testing.T, file string, reprice bool) *report.Report {
	t.Helper()
	r, err := report.Build(calls.Read(calls.Options{Recorded: true}, file), report.Options{Reprice: reprice})
	require.NoError(t, err)
	return r
}

// pageCost returns the amount that a page shows. A page must not show both.
func pageCost(html string) string {
	recorded, listed := strings.Contains(html, "$7.25"), strings.Contains(html, "$2.50")
	switch {
	case recorded && listed:
		return "both"
	case recorded:
		return "7.25"
	case listed:
		return "2.5"
	}
	return "0"
}

func checkCommand(t *testing.T, file string, reprice bool, want, drawn string, subscription bool) {
	t.Helper()
	args := []string{"usage", file, fmt.Sprintf("--reprice=%v", reprice)}
	out, _ := equalMesh(t, append(args, "-o", "json")...)
	var printed struct {
		Rows []calls.Group `json:"rows"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &printed))
	assert.EqualValues(t, want, printed.Rows[0].USD, "-o json")

	html := filepath.Join(t.TempDir(), "page.html")
	out, _ = equalMesh(t, append(args, "--by", "provider,model", "--html", html)...)
	if want != "0" {
		assert.Regexp(t, `(?m)^total `+want+` USD`, out, "table")
	}
	text, err := os.ReadFile(html)
	require.NoError(t, err)
	assert.Equal(t, drawn, pageCost(string(text)), "--html")

	if reprice { // not with -o focus
		return
	}
	out, _ = equalMesh(t, append(args, "-o", "focus")...)
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	require.NoError(t, err)
	if subscription { // not billed
		want = "0"
	}
	billed := new(big.Rat)
	for _, row := range rows[1:] {
		usd, _ := new(big.Rat).SetString(row[0])
		billed.Add(billed, usd)
	}
	expected, _ := new(big.Rat).SetString(want)
	assert.Zero(t, expected.Cmp(billed), "-o focus: %s, want %s", billed.FloatString(4), want)
}

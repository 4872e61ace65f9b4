package cost

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// writeCSV writes a row per day; without --usage only the billed amount.
func (o *Options) writeCSV(b bill, c *bills.Comparison) error {
	o.Progress.Stop()
	if o.usage == "" {
		return output.CSV(o.Out, billedDays(b.Bill()))
	}
	rows := [][]string{{"day", "billed_usd", "counted_usd", "drift_usd", "unpriced"}}
	for _, day := range c.Days {
		rows = append(rows, []string{day.Day, string(day.BilledUSD), string(day.CountedUSD), string(day.DriftUSD), fmt.Sprint(day.Unpriced)})
	}
	return output.CSV(o.Out, rows)
}

func billedDays(b *bills.Bill) [][]string {
	rows := [][]string{{"day", "billed_usd"}}
	slices.SortStableFunc(b.Items, func(x, y bills.Item) int { return cmp.Compare(x.Day, y.Day) })
	for _, item := range b.Items {
		if last := rows[len(rows)-1]; last[0] == item.Day {
			last[1] = string(prices.USD(last[1]).Add(item.USD))
			continue
		}
		rows = append(rows, []string{item.Day, string(item.USD)})
	}
	return rows
}

// takes names the files that --bill reads.
var takes = map[models.Provider]string{
	models.OpenAI:    "the JSON responses of GET /v1/organization/costs, all pages one after another",
	models.Anthropic: "the JSON responses of GET /v1/organizations/cost_report, all pages one after another",
	models.XAI:       "the JSON responses of POST /v1/billing/teams/TEAM/usage, in UTC days",
	models.Gemini:    "the BigQuery table gcp_billing_export_v1_... as JSON lines",
}

// billError says what --bill takes if the file isn't a bill. head is the file's
// beginning.
func (o *Options) billError(head []byte, err error) error {
	var at *discovery.BillError
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\uFEFF")))
	isJSON := bytes.HasPrefix(head, []byte("{")) || bytes.HasPrefix(head, []byte("["))
	line, _, _ := bytes.Cut(head, []byte("\n"))
	switch {
	case errors.Is(err, discovery.ErrOtherBill):
		_, other, _ := strings.Cut(err.Error(), "a bill from ")
		return exit.Usagef("--bill %s: %w; use mesh cost %s", o.saved, err, other)
	case !errors.As(err, &at) || isJSON && at.Line > 1:
		return exit.Usagef("--bill %s: %w", o.saved, err)
	case !isJSON && bytes.ContainsRune(line, ','):
		return exit.Usagef("--bill %s: a CSV export from a provider's usage page is not a bill; --bill takes %s", o.saved, takes[o.provider])
	}
	return exit.Usagef("--bill %s: %w; --bill takes %s", o.saved, err, takes[o.provider])
}

const headSize = 512

func peek(in *bufio.Reader) []byte {
	head, _ := in.Peek(headSize)
	return bytes.Clone(head)
}

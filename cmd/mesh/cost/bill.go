package cost

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/focus"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/page"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// bill is a report for any provider.
type bill interface {
	Table(out io.Writer) error
	DayTable(out io.Writer, all bool) error
	Bill() *bills.Bill
	Compare(limitPercent float64) (*bills.Comparison, error)
	withCalls(groups []calls.Group) bill
	writeFocus(out io.Writer, account string) error
	window() (from, to time.Time, ignoredRows int)
	empty() bool
}

type billOf[B discovery.Bucket] struct {
	*discovery.ReconciliationReport[B]
}

// asBill returns nil if the bill couldn't be read.
func asBill[B discovery.Bucket](r *discovery.ReconciliationReport[B], err error) (bill, error) {
	if err != nil || r == nil || !r.Complete {
		return nil, err
	}
	return billOf[B]{r}, nil
}

func (b billOf[B]) withCalls(groups []calls.Group) bill { return billOf[B]{b.WithCalls(groups)} }

func (b billOf[B]) writeFocus(out io.Writer, account string) error {
	if b.Provider == models.XAI {
		account = cmp.Or(account, os.Getenv("XAI_TEAM_ID"))
	}
	return focus.WriteBill(out, b.Provider, account, b.Buckets)
}

// window returns the days that a saved bill covers, and how many of its rows are for
// other services.
func (b billOf[B]) window() (from, to time.Time, ignoredRows int) {
	return time.Unix(b.WindowStart, 0).UTC(), time.Unix(*b.WindowEnd, 0).UTC(), b.IgnoredRows
}

// empty reports whether a saved bill lacks all days. xAI and Gemini only list days
// with use.
func (b billOf[B]) empty() bool {
	return len(b.Buckets) == 0 && (b.Provider == models.OpenAI || b.Provider == models.Anthropic)
}

// readBill reads --bill and sets its days.
func (o *Options) readBill() (b bill, err error) {
	var in io.Reader
	if o.saved == "-" {
		in = o.ReadingStdin()
	} else {
		file, err := os.Open(o.saved)
		if err != nil {
			return nil, exit.Usagef("--bill %s: %w", o.saved, exit.WithoutPath(err))
		}
		defer file.Close()
		in = o.ReadingFile("reading the bill", file)
	}
	buffered := bufio.NewReader(in)
	head := peek(buffered)
	query := discovery.BillOptions{From: o.from, To: o.to, AttributedUSD: o.counted}
	switch o.provider {
	case models.OpenAI:
		b, err = asBill(discovery.ReadOpenAIBill(buffered, query))
	case models.Anthropic:
		b, err = asBill(discovery.ReadAnthropicBill(buffered, query))
	case models.Gemini:
		b, err = asBill(discovery.ReadGeminiBill(buffered, query))
	default: // xAI
		b, err = asBill(discovery.ReadXAIBill(buffered, query))
	}
	var value *discovery.ValueError
	switch {
	case errors.As(err, &value):
		return nil, exit.Usagef("--from and --to select no days in %s", o.saved)
	case err != nil:
		return nil, o.billError(head, err)
	}
	var ignored int
	if o.from, o.to, ignored = b.window(); ignored > 0 {
		o.Note(fmt.Sprintf("ignored rows for other services: %d", ignored))
	}
	if b.empty() {
		return nil, exit.Usagef("--bill %s lacks these days: %s", o.saved, table.Days(o.from, o.to, " to "))
	}
	return b, nil
}

// Days per request: the largest pages need the fewest requests.
const (
	openAIPage    = 180
	anthropicPage = 31
)

// requestBill returns nil if the provider doesn't send the bill.
func (o *Options) requestBill(ctx context.Context, c *discovery.Client) (bill, error) {
	byItem := o.Format == "focus" || o.usage != "" || o.html != ""
	switch o.provider {
	case models.OpenAI:
		query := discovery.OpenAICostQuery{StartTime: o.from.Unix(), EndTime: o.to.Unix(), Limit: openAIPage}
		if byItem {
			query.GroupBy = []discovery.GroupBy{discovery.GroupByLineItem}
		}
		return asBill(c.ReconcileOpenAICost(ctx, query, o.counted))
	case models.Anthropic:
		query := discovery.AnthropicCostQuery{Start: o.from, End: o.to, Limit: anthropicPage, Quantities: o.usage != ""}
		if byItem {
			query.GroupBy = []discovery.GroupBy{discovery.GroupByDescription}
		}
		return asBill(c.ReconcileAnthropicCost(ctx, query, o.counted))
	default: // xAI, which always sends line items
		query := discovery.XAICostQuery{StartTime: o.from.Format(time.RFC3339), EndTime: o.to.Format(time.RFC3339)}
		return asBill(c.ReconcileXAICost(ctx, query, o.counted))
	}
}

// countCalls adds up --usage over the bill's days, whatever the provider. unread reports
// unreadable lines.
func (o *Options) countCalls(in *callsfiles.Files, failures *app.Failures) (groups []calls.Group, unread, err error) {
	list, _, err := o.PriceList()
	if err != nil {
		return nil, nil, err
	}
	rows, unread := o.SumCalls(calls.Options{
		From: o.from, To: o.to, MatchLabels: o.Match, Prices: list, Reprice: o.reprice,
		By: [][]string{{calls.ByDay, calls.ByModel, calls.ByProvider, calls.ByPlatform, calls.ByBilling, calls.ByUnpriced}},
	}, in)
	if unread != nil && len(rows[0]) == 0 {
		return nil, nil, exit.Usagef("--usage: %w", unread)
	}
	missing := false
	for _, row := range rows[0] {
		provider, platform, reason := row.Value(calls.ByProvider), row.Value(calls.ByPlatform), row.Value(calls.ByUnpriced)
		if provider == string(o.provider) && platform == "" && reason != "" {
			failures.Add(errors.New("unknown cost: " + costs.Cause(reason)))
			missing = missing || strings.HasPrefix(reason, prices.ErrUnpriced.Error())
		}
	}
	if missing && !o.reprice {
		failures.Add(errors.New("add missing prices with --prices, and set --reprice for calls recorded as unpriced"))
	}
	return rows[0], unread, nil
}

// write writes the page first: a pipe such as head may close stdout.
func (o *Options) write(b bill, c *bills.Comparison, in *callsfiles.Files) error {
	if err := cmp.Or(o.writePage(in, c), o.print(b, c)); err != nil {
		return err
	}
	if o.Match != nil {
		o.Note(fmt.Sprintf("only calls %s were counted; the bill has no labels and is whole", output.Line(table.Labels(o.Match))))
	}
	return nil
}

func (o *Options) print(b bill, c *bills.Comparison) error {
	if o.Format == "csv" {
		return o.writeCSV(b, c)
	}
	var shown any = b
	if o.usage != "" {
		shown = compared{b, c}
	}
	return o.Print(shown, func(out io.Writer) error {
		if !o.compares() {
			err := b.Table(out)
			fmt.Fprintln(out, "There are no counted calls to compare with: --usage reads calls, and --counted takes their sum.")
			return err
		}
		for _, sentence := range c.Sentences() {
			fmt.Fprintln(out, output.Mark(out, output.Wrap(output.Line(sentence), "", output.Width(out))))
		}
		if c.Calls == 0 {
			err := b.Table(out)
			fmt.Fprintln(out, "Check --usage: mesh usage FILE --by provider,day lists its calls.")
			return err
		}
		return b.DayTable(out, o.all)
	})
}

// writePage does nothing without --html.
func (o *Options) writePage(in *callsfiles.Files, all ...*bills.Comparison) error {
	if o.html == "" {
		return nil
	}
	list, _, err := o.PriceList()
	if err != nil {
		return err
	}
	return page.Write(o.App, o.html, report.Options{From: o.from, To: o.to, MatchLabels: o.Match, Prices: list, Reprice: o.reprice, Bills: all}, in)
}

// writeUnbilled writes a page with only the calls if the bill couldn't be read. unread
// reports unreadable lines.
func (o *Options) writeUnbilled(in *callsfiles.Files, unread error) error {
	if unread != nil {
		o.Warn(unread)
	}
	if o.html == "" || o.usage == "" {
		return nil
	}
	o.Warn(fmt.Errorf("the bill could not be read: %s has only the calls", o.html))
	return o.writePage(in)
}

// compared adds the comparison to a bill's JSON.
type compared struct {
	bill
	comparison *bills.Comparison
}

func (c compared) MarshalJSON() ([]byte, error) {
	bill, err := json.Marshal(c.bill)
	if err != nil {
		return nil, err
	}
	comparison, err := json.Marshal(c.comparison)
	return slices.Concat(bytes.TrimSuffix(bill, []byte("}")), []byte(`,"comparison":`), comparison, []byte("}")), err
}

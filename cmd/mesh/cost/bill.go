package cost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/focus"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// bill is what the bills of all providers have in common.
type bill interface {
	Table(out io.Writer) error
	Compare(limitPercent float64) (*bills.Comparison, error)
	withCalls(groups []calls.Group) bill
	writeFocus(out io.Writer, account string) error
	window() (from, to time.Time, ignoredRows int)
}

// billOf is a bill with the buckets of its provider.
type billOf[B discovery.Bucket] struct {
	*discovery.ReconciliationReport[B]
}

// asBill returns a report as a bill, and nil if the bill could not be read.
func asBill[B discovery.Bucket](r *discovery.ReconciliationReport[B], err error) (bill, error) {
	if err != nil || r == nil || !r.Complete {
		return nil, err
	}
	return billOf[B]{r}, nil
}

func (b billOf[B]) withCalls(groups []calls.Group) bill { return billOf[B]{b.WithCalls(groups)} }

// writeFocus writes the bill as rows of FOCUS, by line item.
func (b billOf[B]) writeFocus(out io.Writer, account string) error {
	if b.Provider == models.XAI {
		account = cmp.Or(account, os.Getenv("XAI_TEAM_ID"))
	}
	return focus.WriteBill(out, b.Provider, account, b.Buckets)
}

// window returns the days of a bill in a file, and the number of rows that are no part of it.
func (b billOf[B]) window() (from, to time.Time, ignoredRows int) {
	return time.Unix(b.WindowStart, 0).UTC(), time.Unix(*b.WindowEnd, 0).UTC(), b.IgnoredRows
}

// readBill reads the bill of --bill, and sets its days.
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
	query := discovery.SavedBill{From: o.from, To: o.to, AttributedUSD: o.counted}
	switch o.provider {
	case models.OpenAI:
		b, err = asBill(discovery.ReadOpenAIBill(in, query))
	case models.Anthropic:
		b, err = asBill(discovery.ReadAnthropicBill(in, query))
	case models.Gemini:
		b, err = asBill(discovery.ReadGeminiBill(in, query))
	default: // xAI
		b, err = asBill(discovery.ReadXAIBill(in, query))
	}
	var value *discovery.ValueError
	switch {
	case errors.As(err, &value):
		return nil, exit.Usagef("--from and --to: the bill in %s has no such days", o.saved)
	case err != nil:
		return nil, exit.Usagef("--bill %s: %w", o.saved, err)
	}
	var ignored int
	if o.from, o.to, ignored = b.window(); ignored > 0 {
		o.Note(fmt.Sprintf("rows of other services, which are ignored: %d", ignored))
	}
	return b, nil
}

// The numbers of days in a request: the largest ones, which need the fewest requests.
const (
	openAIPage    = 180
	anthropicPage = 31
)

// requestBill requests the bill, by line item if that is shown. It is nil if the provider does not send it.
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

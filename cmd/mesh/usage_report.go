package main

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/calls"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery"
)

// usageReport prints calls one by one, and then their total or the error that ends them. The writer behind it keeps an error of the output until it is flushed.
type usageReport interface {
	call(call calls.Call)
	total(total usageTotal)
	fail(err error)
}

// usageTotal is the end of the output of mesh usage.
type usageTotal struct {
	Days     []discovery.LedgerDay `json:"days"`
	TotalUSD float64               `json:"total_usd"`
	Unpriced int                   `json:"unpriced"`
}

func totalOf(ledger *discovery.Ledger) usageTotal {
	var always time.Time
	return usageTotal{ledger.Days(), ledger.Total(always, always), ledger.Unpriced(always, always)}
}

// usageText is a usageReport for people. Its columns have fixed widths, since the rows to come are not known.
type usageText struct {
	w     *bufio.Writer
	calls int
}

const usageRow = "%-20s  %-9s  %14s  %s\n"

func (r *usageText) call(call calls.Call) {
	if r.calls++; r.calls == 1 {
		fmt.Fprintf(r.w, usageRow, "TIME", "PROVIDER", "USD", "MODEL")
	}
	cost := output.Unknown
	if call.Cost != nil {
		cost = call.Cost.Exact
	}
	fmt.Fprintf(r.w, usageRow, call.Time.UTC().Format(time.RFC3339), call.Provider, cost, output.Line(call.Model))
}

func (r *usageText) total(total usageTotal) {
	fmt.Fprintf(r.w, "total %s USD; calls: %d, of which without a known cost: %d\n", output.Decimal(total.TotalUSD), r.calls, total.Unpriced)
}

func (r *usageText) fail(error) {}

// usageJSON is a usageReport for programs: an object in which each call is a line.
type usageJSON struct {
	w         *bufio.Writer
	separator string
}

func newUsageJSON(w *bufio.Writer) *usageJSON {
	_, _ = w.WriteString("{\"calls\":[\n")
	return &usageJSON{w: w}
}

func (r *usageJSON) call(call calls.Call) {
	_, _ = r.w.WriteString(r.separator)
	_ = output.JSON(r.w, call, "")
	r.separator = ","
}

func (r *usageJSON) total(total usageTotal) { r.end(total) }

func (r *usageJSON) fail(err error) { r.end(map[string]string{"error": explain(err)}) }

// end writes the fields of an object behind the calls.
func (r *usageJSON) end(fields any) {
	var object bytes.Buffer
	_ = output.JSON(&object, fields, "") // into memory
	_, _ = r.w.WriteString("],\n" + strings.TrimPrefix(object.String(), "{"))
}

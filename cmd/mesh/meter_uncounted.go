package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// checkIntercept checks the flags of interception.
func (a *app) checkIntercept(f *meterFlags) error {
	if f.intercept && len(f.upstreams) > 0 {
		return usagef("--upstream is not for --intercept, which uses no base URLs; --host HOST=API names a host")
	}
	if variable := proxy.UnsupportedParent(os.Environ()); variable != "" {
		const reason = "the proxy of %s cannot be used: it must be an http:// or https:// URL in HTTPS_PROXY"
		if f.intercept {
			return usagef("--intercept: "+reason, variable)
		}
		a.warn(fmt.Errorf(reason+"; connections that bypass the meter are not seen", variable))
	}
	return nil
}

// isIncomplete reports whether calls were not counted: a host has connections and no record. A program may connect to a host without
// a call while each of its calls is counted elsewhere.
func isIncomplete(p *proxy.Proxy) bool {
	return slices.ContainsFunc(p.Bypasses(), func(b proxy.Bypass) bool { return !b.Recorded })
}

// writeUncounted prints the connections whose calls are not counted, and the clients that --intercept has not reached.
func (a *app) writeUncounted(p *proxy.Proxy) {
	for _, b := range p.Bypasses() {
		fmt.Fprintf(a.errs, "not counted: %s, %s, %s sent\n", output.Line(b.Host), plural(b.Connections, "connection"), byteCount(b.Sent))
	}
	for _, r := range p.Rejections() {
		reason := "closed without a request"
		if r.Alert != "" {
			reason = r.Alert
		}
		fmt.Fprintf(a.errs, "certificate not accepted: %s, %s of %s: %s\n", r.Host, plural(r.Connections, "connection"), cmp.Or(r.Client, "a client without a name"), reason)
	}
}

// metered is what mesh meter prints with -o json.
type metered struct {
	*costs.Report
	Incomplete  bool                `json:"incomplete"`   // USD and AtLeastUSD are a part of the cost
	NotCounted  []proxy.Bypass      `json:"not_counted"`  // connections to providers
	NotAccepted []proxy.Rejection   `json:"not_accepted"` // clients that reject the certificate of --intercept
	Budgets     []meter.BudgetState `json:"budgets"`
	Refused     int64               `json:"refused"`
	Failed      int64               `json:"failed"` // requests without a response
}

// writeMeteredJSON prints one line to stderr: stdout has the output of the command.
func (a *app) writeMeteredJSON(summary *costs.Summary, meters *proxy.Meters, p *proxy.Proxy) error {
	incomplete := isIncomplete(p)
	return output.JSON(a.errs, metered{
		Report: summary.Report(incomplete), Incomplete: incomplete, NotCounted: p.Bypasses(), NotAccepted: append([]proxy.Rejection{}, p.Rejections()...),
		Budgets: append([]meter.BudgetState{}, meters.Budgets()...), Refused: meters.Refused(), Failed: meters.Failed(),
	}, "")
}

// byteCount returns a number of bytes in its largest decimal unit.
func byteCount(n int64) string {
	const unit = 1000
	size, name := float64(n), "B"
	for _, next := range []string{"kB", "MB", "GB", "TB"} {
		if size < unit-0.5 {
			break
		}
		size, name = size/unit, next
	}
	return fmt.Sprintf("%.0f %s", size, name)
}

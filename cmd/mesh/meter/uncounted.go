package meter

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// checkIntercept checks the flags of interception.
func (o *Options) checkIntercept() error {
	if o.intercept && len(o.upstreams) > 0 {
		return exit.Usagef("--upstream is not for --intercept, which uses no base URLs; --host HOST=API names a host")
	}
	if variable := proxy.UnsupportedParent(os.Environ()); variable != "" {
		const reason = "the proxy of %s cannot be used: it must be an http:// or https:// URL in HTTPS_PROXY"
		if o.intercept {
			return exit.Usagef("--intercept: "+reason, variable)
		}
		o.Warn(fmt.Errorf(reason+"; connections that bypass the meter are not seen", variable))
	}
	return nil
}

// isIncomplete reports whether calls may not have been counted.
func isIncomplete(p *proxy.Proxy) bool { return len(p.Bypasses()) > 0 }

// writeUncounted prints the connections whose calls are not counted, the hosts of --host without calls, and the clients that --intercept
// has not reached.
func (o *Options) writeUncounted(p *proxy.Proxy, meters *proxy.Meters) {
	for _, b := range p.Bypasses() {
		fmt.Fprintln(o.Errs, bypassText(&b))
	}
	for _, host := range o.unusedHosts(meters) {
		fmt.Fprintf(o.Errs, "no calls: %s (--host)\n", host)
	}
	for _, r := range p.Rejections() {
		reason := "closed without a request"
		if r.Alert != "" {
			reason = r.Alert
		}
		fmt.Fprintf(o.Errs, "certificate not accepted: %s, %s of %s: %s\n", r.Host, output.Plural(r.Connections, "connection"), cmp.Or(r.Client, "a client without a name"), reason)
	}
}

// bypassText returns the line of connections whose calls are not counted, with what counts them and the bytes as far as they are known.
func bypassText(b *proxy.Bypass) string {
	text := fmt.Sprintf("not counted: %s, %s", output.Line(b.Host), output.Plural(b.Connections, "connection"))
	if b.Remedy != "" {
		text += " (--host " + b.Remedy + ")"
	}
	if b.Sent == 0 {
		return text
	}
	text += ", "
	if b.Direct > 0 {
		text += "at least "
	}
	return text + output.Bytes(b.Sent) + " sent"
}

// metered is what mesh meter prints with -o json.
type metered struct {
	*costs.Report
	Incomplete  bool                `json:"incomplete"`   // USD and AtLeastUSD are a part of the cost
	NotCounted  []proxy.Bypass      `json:"not_counted"`  // connections to providers
	NoCalls     []string            `json:"no_calls"`     // hosts of --host
	NotAccepted []proxy.Rejection   `json:"not_accepted"` // clients that reject the certificate of --intercept
	Budgets     []meter.BudgetState `json:"budgets"`
	Refused     int64               `json:"refused"`
	Failed      int64               `json:"failed"` // requests without a response
}

// writeMeteredJSON prints one line to stderr: stdout has the output of the command.
func (o *Options) writeMeteredJSON(summary *costs.Summary, meters *proxy.Meters, p *proxy.Proxy) error {
	incomplete := isIncomplete(p)
	return output.JSON(o.Errs, metered{
		Report: summary.Report(incomplete), Incomplete: incomplete, NotCounted: p.Bypasses(), NoCalls: o.unusedHosts(meters), NotAccepted: append([]proxy.Rejection{}, p.Rejections()...),
		Budgets: append([]meter.BudgetState{}, meters.Budgets()...), Refused: meters.Refused(), Failed: meters.Failed(),
	}, "")
}

// unusedHosts returns the hosts of --host to which no request was sent.
func (o *Options) unusedHosts(meters *proxy.Meters) []string {
	unused := []string{}
	for _, flag := range o.hosts {
		if host, _, _ := strings.Cut(flag, "="); !meters.Reached(host) {
			unused = append(unused, host)
		}
	}
	return unused
}

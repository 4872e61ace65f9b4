package meter

import (
	"cmp"
	"fmt"
	"os"

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

// write prints the table of the calls and, with a budget, what is left of it, and how many calls it does not limit or has
// refused.
func (run *meterRun) write(p *proxy.Proxy) error {
	meters, bypasses := run.config.Meters, p.Bypasses()
	incomplete := len(bypasses) > 0 // calls may not have been counted
	if run.Format == "json" {       // one line on stderr: stdout has the output of the command
		return output.JSON(run.Errs, metered{
			run.summary.Report(incomplete), incomplete, bypasses, run.unusedHosts(), p.Rejections(), meters.Budgets(), meters.Refused.Load(), meters.Failed.Load(),
		}, "")
	}
	defer run.writeUncounted(bypasses, p.Rejections())
	count, unlimited := run.summary.Calls()
	if run.perCall != "" {
		unlimited = 0
	}
	if count > 0 {
		if err := run.summary.Write(run.Errs, incomplete); err != nil {
			return err
		}
	} else if meters.Refused.Load() == 0 {
		fmt.Fprintln(run.Errs, "mesh: meter: no calls were counted;", run.whyNone(incomplete))
	}
	for _, b := range meters.Budgets() {
		fmt.Fprintf(run.Errs, "budget: %s, spent: %s, set aside: %s, left: %s\n", budgetText(b.Budget, b.Label), b.Spent, b.Reserved, b.Left)
	}
	if len(run.limits) > 0 {
		fmt.Fprintf(run.Errs, "budget: calls that do not count towards it: %d, refused: %d\n", unlimited, meters.Refused.Load())
	}
	return nil
}

// whyNone returns why there are no calls, although some requests may have failed before they were sent.
func (run *meterRun) whyNone(incomplete bool) string {
	switch failed := run.config.Meters.Failed.Load(); {
	case failed > 0:
		return fmt.Sprintf("requests that did not reach the provider: %d", failed)
	case incomplete:
		return "those of the connections below are not known"
	case run.intercept:
		return "none came through HTTPS_PROXY"
	}
	return "only calls to OPENAI_BASE_URL, ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL are counted"
}

// writeUncounted prints the connections whose calls are not counted, the hosts of --host without calls, and the clients that --intercept
// has not reached.
func (run *meterRun) writeUncounted(bypasses []proxy.Bypass, rejections []proxy.Rejection) {
	for _, b := range bypasses {
		fmt.Fprintln(run.Errs, bypassText(&b))
	}
	for _, host := range run.unusedHosts() {
		fmt.Fprintf(run.Errs, "no calls: %s (--host)\n", host)
	}
	for _, r := range rejections {
		fmt.Fprintf(run.Errs, "certificate not accepted: %s, %s of %s: %s\n", r.Host, output.Plural(r.Connections, "connection"),
			cmp.Or(r.Client, "a client without a name"), cmp.Or(r.Alert, "closed without a request"))
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

// unusedHosts returns the hosts of --host to which no request was sent.
func (run *meterRun) unusedHosts() []string {
	unused := []string{}
	for _, host := range run.config.Hosts {
		if !run.config.Meters.Reached(host) {
			unused = append(unused, host)
		}
	}
	return unused
}

package meter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sockets"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/worker"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// meterRun is a run whose options have been checked and whose files are open.
type meterRun struct {
	*Options
	program string
	config  proxy.Config
	summary *costs.Summary
	log     *calls.Log // nil without --log
	limits  []meter.Budget
}

func run(ctx context.Context, o *Options) error {
	piped := make(chan os.Signal, 1) // a note to a closed pipe must not end the run
	notify(piped, syscall.SIGPIPE)
	defer signal.Stop(piped)
	run := &meterRun{Options: o, summary: costs.NewSummary()}
	if err := run.prepare(); err != nil {
		return exit.WrongUse(err)
	}
	stop := run.follow(ctx)
	defer stop()
	p, err := proxy.Start(ctx, run.config)
	switch {
	case err != nil && o.listen != "":
		return exit.Usagef("--listen: %w", err)
	case err != nil:
		return exit.Failedf("the proxy cannot start: %w", err)
	case o.listen != "":
		err = o.serve(ctx, p)
	default:
		err = run.behind(ctx, p)
	}
	_ = p.Close()
	stop()
	if run.log != nil {
		if failed := run.log.Close(); failed != nil {
			o.Warn(failed)
		}
	}
	_ = run.write(p) // the command decides the exit status
	return err
}

// prepare checks the flags and the environment, and opens --log.
func (run *meterRun) prepare() (err error) {
	if err := run.checkOutput(); err != nil {
		return err
	}
	if run.listen == "" {
		if run.program, err = worker.LookPath(run.command[0]); err != nil {
			return err
		}
	}
	if err := run.parseBudgets(); err != nil {
		return err
	}
	endpoints, hosts, err := run.endpoints()
	if err != nil {
		return err
	}
	list, _, err := run.PriceList()
	if err != nil {
		return err
	}
	if old := table.OldPrices(list.AsOf().Format(time.DateOnly), time.Now()); old != "" {
		run.Note("prices: " + old)
	}
	upstreams, err := proxy.Upstreams(run.upstreams, hosts, os.Getenv)
	if err != nil {
		return err
	}
	labels, err := run.callLabels()
	if err != nil {
		return err
	}
	if err := run.checkIntercept(); err != nil {
		return err
	}
	if run.log, err = openLog(run.Options.log); err != nil {
		return fmt.Errorf("--log %s: %w", run.Options.log, exit.WithoutPath(err))
	}
	if run.strict && !run.follows() {
		return errors.New("--strict needs --log and a --budget with a period")
	}
	secret, err := run.listenSecret()
	if err != nil {
		return err
	}
	meters, err := run.newMeters(list, upstreams, endpoints)
	run.config = proxy.Config{
		Meters: meters, Upstreams: upstreams, Labels: labels, Hosts: hosts, Intercept: run.intercept, Errs: run.Errs, Addr: run.listen, Secret: secret,
	}
	return err
}

// behind runs the command in the proxy's environment and returns its exit status. Files
// named there are removed at the end, even after an early signal.
func (run *meterRun) behind(ctx context.Context, p *proxy.Proxy) error {
	// These must not end mesh, and go no further: the terminal sends ^C to the command, too.
	outlived := make(chan os.Signal, 1)
	notify(outlived, os.Interrupt)
	defer signal.Stop(outlived)
	signals := make(chan os.Signal, 4) // one of each: package signal drops what doesn't fit
	notify(signals, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT)
	defer signal.Stop(signals)
	folder, err := os.MkdirTemp("", "mesh-meter-")
	if err != nil {
		return exit.Failedf("cannot create a temporary directory: %w", err)
	}
	defer os.RemoveAll(folder)
	files, err := p.WriteFiles(folder, os.Environ())
	if err != nil {
		return exit.Failedf("cannot write temporary files: %w", err)
	}
	watch := sockets.New(p.Direct(os.Environ()))
	defer func() { p.AddDirect(watch.End(ctx)) }()
	return run.start(ctx, append(p.Environment(os.Environ()), files...), signals, watch)
}

// notify is signal.Notify, except for ignored signals. Under nohup, or after & in a
// script, the command must ignore them, too.
func notify(c chan<- os.Signal, signals ...os.Signal) {
	for _, s := range signals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}

// start runs the command in mesh's process group, so that it can read the terminal.
func (run *meterRun) start(ctx context.Context, env []string, signals <-chan os.Signal, watch *sockets.Watch) error {
	cmd := exec.CommandContext(ctx, run.program) //nolint:gosec // the user names the program
	cmd.Args, cmd.Env = run.command, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = run.In, run.Out, run.Errs
	if err := cmd.Start(); err != nil {
		return exit.Failedf("%w", err)
	}
	watch.Start(ctx, cmd.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			return commandStatus(err)
		case s := <-signals:
			_ = cmd.Process.Signal(s)
		}
	}
}

// commandStatus returns the exit status as an error, after a signal as a shell does.
func commandStatus(err error) error {
	var exited *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exited):
		return exit.StatusError(worker.Status(exited.ProcessState))
	}
	return exit.Failedf("%w", err)
}

func (o *Options) checkIntercept() error {
	if o.intercept && len(o.upstreams) > 0 {
		return exit.Usagef("--upstream cannot be used with --intercept, which needs no base URLs; use --host HOST=API")
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

// write prints the calls and, with a budget, what is left, and how many calls were
// refused or not limited.
func (run *meterRun) write(p *proxy.Proxy) error {
	meters, bypasses := run.config.Meters, p.Bypasses()
	incomplete := len(bypasses) > 0 // calls may not have been counted
	if run.Format == "json" {       // one line on stderr: stdout has the output of the command
		return output.JSON(run.Errs, metered{
			run.summary.Sums(incomplete), incomplete, bypasses, run.unusedHosts(), p.Rejections(), meters.Budgets(), meters.Refused.Load(), meters.Failed.Load(),
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
		fmt.Fprintf(run.Errs, "budget: %s, spent: %s, set aside: %s, left: %s\n", budgetText(b.Budget, b.LabelValue), b.SpentUSD, b.ReservedUSD, b.LeftUSD)
	}
	if len(run.limits) > 0 {
		fmt.Fprintf(run.Errs, "budget: calls that do not count towards it: %d, refused: %d\n", unlimited, meters.Refused.Load())
	}
	return nil
}

// whyNone says why no calls were counted. If incomplete is set, uncounted connections may
// have some.
func (run *meterRun) whyNone(incomplete bool) string {
	switch failed := run.config.Meters.Failed.Load(); {
	case failed > 0:
		return fmt.Sprintf("requests that did not reach the provider: %d", failed)
	case incomplete:
		return "the connections below may have some"
	case run.intercept:
		return "none came through HTTPS_PROXY"
	}
	return "only calls to OPENAI_BASE_URL, ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL are counted"
}

// writeUncounted prints uncounted connections, --host hosts without calls, and clients
// that --intercept missed.
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

// bypassText says how to count the connections, and how many bytes they sent.
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

// metered is the output for -o json.
type metered struct {
	*costs.Sums
	Incomplete  bool                `json:"incomplete"`   // the cost is higher than USD and AtLeastUSD
	NotCounted  []proxy.Bypass      `json:"not_counted"`  // connections to providers
	NoCalls     []string            `json:"no_calls"`     // hosts of --host
	NotAccepted []proxy.Rejection   `json:"not_accepted"` // clients that reject the certificate of --intercept
	Budgets     []meter.BudgetState `json:"budgets"`
	Refused     int64               `json:"refused"`
	Failed      int64               `json:"failed"` // requests without a response
}

// unusedHosts returns the --host hosts that got no request.
func (run *meterRun) unusedHosts() []string {
	unused := []string{}
	for _, host := range run.config.Hosts {
		if !run.config.Meters.Reached(host) {
			unused = append(unused, host)
		}
	}
	return unused
}

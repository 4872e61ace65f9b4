package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// meterFlags are the flags of mesh meter.
type meterFlags struct {
	budget, log       string
	labels, upstreams []string
	streamUsage       bool
}

func newMeter(a *app) *cobra.Command {
	var f meterFlags
	cmd := &cobra.Command{
		Use:   "meter [flags] -- COMMAND [ARG...]",
		Short: "Run a command and count its calls to model providers, and what they cost",
		Long: `Meter runs COMMAND with OPENAI_BASE_URL, ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL set to a proxy on this machine, which
forwards the calls and counts them. At the end a table on stderr has the calls, tokens and cost of each model, and the calls
without a known cost with the reasons.

A variable that is already set names the upstream, such as https://api.deepseek.com/v1 in OPENAI_BASE_URL. The calls to a host that
is no provider's have no known cost, unless --upstream gives it the prices of a provider. COMMAND's own keys pass through and are
neither stored nor logged. Streams are passed on without delay. WebSockets are refused with 426, so that COMMAND falls back to HTTP.

With --budget, calls are answered with 402 once the budget is used up; calls under way may exceed it. --stream-usage changes the
streams of chat completions: each ends with an event that has the usage and no choices. --log writes a line for each call to a
new file in a folder, for mesh usage. Under mesh serve, the calls have the labels message, thread and from.

The exit status is that of COMMAND. ^C reaches COMMAND from the terminal; SIGTERM and SIGHUP are passed on to it.`,
		Example: "  mesh meter -- python3 agent.py\n  mesh meter --budget 5 --log ~/calls --label job=nightly -- node agent.mjs",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE:    func(cmd *cobra.Command, command []string) error { return a.meter(cmd.Context(), command, &f) },
	}
	cmd.Flags().SetInterspersed(false) // the flags behind COMMAND are its own
	cmd.Flags().StringVar(&f.budget, "budget", "", "refuse calls after this many US dollars")
	cmd.Flags().BoolVar(&f.streamUsage, "stream-usage", false, "request the usage in chat streams of OpenAI, which send none by themselves")
	cmd.Flags().StringVar(&f.log, "log", "", "folder for calls files")
	cmd.Flags().StringArrayVar(&f.labels, "label", nil, "label of all calls, as NAME=VALUE; repeatable")
	cmd.Flags().StringArrayVar(&f.upstreams, "upstream", nil, "base URL of a provider's API, as PROVIDER=URL, such as openai=https://gateway.example.com/v1; repeatable")
	return cmd
}

func (a *app) meter(ctx context.Context, command []string, f *meterFlags) error {
	program, err := exec.LookPath(command[0])
	if err != nil {
		return &usageError{err}
	}
	upstreams, err := proxy.Upstreams(f.upstreams, os.LookupEnv)
	if err != nil {
		return &usageError{err}
	}
	labels, err := meterLabels(f.labels)
	if err != nil {
		return err
	}
	summary, calls := proxy.NewSummary(), (*meter.Log)(nil)
	recorders := []func(meter.Record){summary.Record}
	if f.log != "" {
		if calls, err = meter.OpenLog(f.log); err != nil {
			return usagef("--log: %w", err)
		}
		recorders = append(recorders, calls.Record)
	}
	meters, err := proxy.NewMeters(upstreams, recorders, a.meterOptions(f, upstreams)...)
	if err != nil {
		return usagef("--budget: %w", err)
	}
	p, err := proxy.Start(ctx, meters, upstreams, labels, a.errs)
	if err != nil {
		return failedf("the proxy cannot listen: %w", err)
	}
	err = a.runMetered(ctx, program, command, p.Environment(os.Environ()))
	_ = p.Close()
	if calls != nil {
		if failed := calls.Close(); failed != nil {
			a.warn(failed)
		}
	}
	_ = summary.Write(a.errs, meters.Spent()) // the exit status is that of the command
	return err
}

// meterOptions returns the options of the meter. A budget cannot limit calls whose cost is not known.
func (a *app) meterOptions(f *meterFlags, upstreams []proxy.Upstream) (opts []meter.Option) {
	if f.streamUsage {
		opts = append(opts, meter.WithStreamUsage())
	}
	if f.budget == "" {
		return opts
	}
	for _, u := range upstreams {
		if u.Provider == "" {
			a.warn(fmt.Errorf("--budget does not limit the calls to %s, which is no provider's host; --upstream %s=URL gives it prices", u.URL.Host, u.API))
		}
	}
	return append(opts, meter.WithBudget(meter.Budget{USD: f.budget}))
}

// meterLabels returns the labels of the calls: those of the message under mesh serve, and those of --label.
func meterLabels(flags []string) (map[string]string, error) {
	labels := map[string]string{}
	for name, variable := range map[string]string{"message": "MESH_MESSAGE_ID", "thread": "MESH_THREAD_ID", "from": "MESH_FROM"} {
		if value := os.Getenv(variable); value != "" {
			labels[name] = value
		}
	}
	for _, flag := range flags {
		name, value, ok := strings.Cut(flag, "=")
		if !ok || name == "" {
			return nil, usagef("--label must be NAME=VALUE: %q", flag)
		}
		labels[name] = value
	}
	return labels, nil
}

// runMetered runs the command in the process group of mesh, so that it can read the terminal, and returns its exit status.
func (a *app) runMetered(ctx context.Context, program string, command, env []string) error {
	cmd := exec.CommandContext(ctx, program)
	cmd.Args, cmd.Env = command, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.in, a.out, a.errs
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // nohup, and & in a script: the command ignores it, too
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return failedf("%w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			return commandStatus(err)
		case s := <-signals:
			if s != os.Interrupt { // ^C reaches it from the terminal
				_ = cmd.Process.Signal(s)
			}
		}
	}
}

// statusError is the exit status of a command that mesh ran.
type statusError int

func (e statusError) Error() string { return "" }

// commandStatus returns the exit status of a command as an error, with that of a shell after a signal.
func commandStatus(err error) error {
	var exited *exec.ExitError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &exited):
		return failedf("%w", err)
	}
	if code := exited.ExitCode(); code >= 0 {
		return statusError(code)
	}
	return statusError(signalStatus(exited.ProcessState))
}

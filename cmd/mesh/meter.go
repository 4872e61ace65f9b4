package main

import (
	"context"
	"errors"
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
}

func newMeter(a *app) *cobra.Command {
	var f meterFlags
	cmd := &cobra.Command{
		Use:   "meter [flags] -- COMMAND [ARG...]",
		Short: "Run a command and count its calls to model providers, and what they cost",
		Long: `Meter runs COMMAND with OPENAI_BASE_URL, ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL set to a proxy on this machine, which
forwards the calls and counts them. At the end a table on stderr has the calls, tokens and cost of each model, and the calls
without a known cost with the reasons.

A variable that is already set names the upstream; if that is no provider's, its calls are not counted, unless --upstream gives
the host to a provider, whose prices then hold. COMMAND's own keys pass through and are neither stored nor logged. Streams are
passed on without delay. WebSockets are refused with 426, so that COMMAND falls back to HTTP.

With --budget, calls are answered with 402 once the budget is used up. --log appends a line for each call to a file in a folder,
for mesh usage. Under mesh serve, the calls have the labels message, thread and from.

The exit status is that of COMMAND. ^C reaches COMMAND from the terminal; SIGTERM and SIGHUP are passed on to it.`,
		Example: "  mesh meter -- python3 agent.py\n  mesh meter --budget 5 --log ~/calls --label job=nightly -- node agent.mjs",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE:    func(cmd *cobra.Command, command []string) error { return a.meter(cmd.Context(), command, &f) },
	}
	cmd.Flags().SetInterspersed(false) // the flags behind COMMAND are its own
	cmd.Flags().StringVar(&f.budget, "budget", "", "refuse calls after this many US dollars")
	cmd.Flags().StringVar(&f.log, "log", "", "folder for calls files")
	cmd.Flags().StringArrayVar(&f.labels, "label", nil, "label of all calls, as NAME=VALUE; repeatable")
	cmd.Flags().StringArrayVar(&f.upstreams, "upstream", nil, "base URL of a provider's API, as PROVIDER=URL; repeatable")
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
	summary := proxy.NewSummary()
	opts := []meter.Option{meter.WithRecorder(summary.Record)}
	for _, u := range upstreams {
		if u.Named {
			opts = append(opts, meter.WithHost(u.URL.Host, u.Provider))
		}
	}
	if f.budget != "" {
		opts = append(opts, meter.WithBudget(meter.Budget{USD: f.budget}))
	}
	var calls *meter.Log
	if f.log != "" {
		if calls, err = meter.OpenLog(f.log); err != nil {
			return err
		}
		opts = append(opts, meter.WithRecorder(calls.Record))
	}
	m, err := meter.New(nil, opts...)
	if err != nil {
		return &usageError{err}
	}
	p, err := proxy.Start(ctx, m, upstreams, labels, a.errs)
	if err != nil {
		return failedf("the proxy cannot listen: %w", err)
	}
	err = a.runMetered(ctx, program, command, p.Environment(os.Environ()))
	_ = p.Close()
	if calls != nil && calls.Close() != nil {
		a.warn(calls.Err())
	}
	if failed := summary.Write(a.errs, m.Spent()); failed != nil && err == nil {
		err = failed
	}
	return err
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
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
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
	if !errors.As(err, &exited) {
		return err
	}
	if code := exited.ExitCode(); code >= 0 {
		return statusError(code)
	}
	return statusError(signalStatus(exited.ProcessState))
}

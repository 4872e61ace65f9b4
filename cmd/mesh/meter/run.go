package meter

import (
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
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sockets"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/worker"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// meterRun is what mesh meter has checked and opened before it starts a proxy.
type meterRun struct {
	*Options
	program string
	config  proxy.Config
	summary *costs.Summary
	log     *calls.Log // nil without --log
	limits  []meter.Budget
}

// run counts the calls of a program, or with --listen those of others.
func run(ctx context.Context, o *Options) error {
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
	_ = run.write(p) // the exit status is that of the command
	return err
}

// prepare checks the flags and the environment, and opens the folder of --log.
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

// behind runs the command with the environment of a proxy and returns its exit status. The files that the environment names are
// removed at the end, also after a signal that comes before the command runs.
func (run *meterRun) behind(ctx context.Context, p *proxy.Proxy) error {
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT} {
		if !signal.Ignored(s) { // nohup, and & in a script: the command ignores it, too
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a warning to a closed pipe must not end the run
	folder, err := os.MkdirTemp("", "mesh-meter-")
	if err != nil {
		return exit.Failedf("no folder for the files of the run: %w", err)
	}
	defer os.RemoveAll(folder)
	files, err := p.WriteFiles(folder, os.Environ())
	if err != nil {
		return exit.Failedf("the files of the run cannot be written: %w", err)
	}
	watch := sockets.New(p.Direct(os.Environ()))
	defer func() { p.AddDirect(watch.End(ctx)) }()
	return run.start(ctx, append(p.Environment(os.Environ()), files...), signals, watch)
}

// start runs the command in the process group of mesh, so that it can read the terminal, and returns its exit status.
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
			if s != os.Interrupt { // ^C reaches it from the terminal
				_ = cmd.Process.Signal(s)
			}
		}
	}
}

// commandStatus returns the exit status of a command as an error, with that of a shell after a signal.
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

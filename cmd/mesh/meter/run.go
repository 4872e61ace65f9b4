package meter

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sockets"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/worker"
)

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
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE) // a warning to a closed pipe must not end the run
	defer signal.Stop(pipes)
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
	case !errors.As(err, &exited):
		return exit.Failedf("%w", err)
	}
	if code := exited.ExitCode(); code >= 0 {
		return exit.StatusError(code)
	}
	return exit.StatusError(worker.SignalStatus(exited.ProcessState))
}

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilInterrupted returns a context that ends with the first interrupt or hangup. The next one kills the process. Commands that
// do not call it are killed by the first one, since they leave nothing unfinished.
func untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// onHangup calls kill when the terminal hangs up, unless nohup ignores that, until the function that it returns is called. The
// commands of mesh serve are in process groups of their own: the hangup does not reach them, and there is no terminal left for a
// second ^C. Until then a write to a closed pipe returns an error instead of ending this process without its commands.
func onHangup(kill func()) (stop func()) {
	hangups, pipes := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(hangups, syscall.SIGHUP)
	}
	go func() {
		if _, ok := <-hangups; ok {
			kill()
		}
	}()
	return func() {
		signal.Stop(hangups)
		signal.Stop(pipes)
		close(hangups)
	}
}

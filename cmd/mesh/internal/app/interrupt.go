package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// UntilInterrupted returns a context that ends with the first interrupt or hangup. The next one kills the process. Commands that
// do not call it are killed by the first one, since they leave nothing unfinished.
func UntilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

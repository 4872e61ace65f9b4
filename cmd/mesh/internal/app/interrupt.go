package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// UntilInterrupted returns a context that ends with the first interrupt or hangup. The next one kills the process. Commands that
// do not call it are killed by the first one, since they leave nothing unfinished.
func UntilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return UntilInterruptedTwice(ctx, nil)
}

// oneSignal is how long further signals are the same one: timeout(1) signals a process twice, by itself and with its group.
const oneSignal = time.Second

// UntilInterruptedTwice is [UntilInterrupted], but the second interrupt calls again, and the third one kills the process.
func UntilInterruptedTwice(ctx context.Context, again func()) (interrupted context.Context, stop context.CancelFunc) {
	ctx, stop = context.WithCancel(ctx)
	interrupted, interrupt := context.WithCancel(ctx)
	signals := notify()
	go func() {
		defer signal.Stop(signals)
		defer interrupt()
		select {
		case <-ctx.Done():
			return
		case <-signals:
		}
		interrupt()
		ignore(signals, oneSignal) // also after stop: the process may be about to end
		if again == nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-signals:
			again()
			ignore(signals, oneSignal)
		}
	}()
	return interrupted, stop
}

func notify() chan os.Signal {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signal.Notify(signals, syscall.SIGHUP)
	}
	return signals
}

func ignore(signals <-chan os.Signal, d time.Duration) {
	for end := time.After(d); ; {
		select {
		case <-signals:
		case <-end:
			return
		}
	}
}

package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// UntilInterrupted returns a context that ends with the first interrupt, termination or
// hangup signal. The second one kills the process. A command that leaves nothing
// unfinished needn't call it: the first signal kills it.
func UntilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return UntilInterruptedTwice(ctx, nil)
}

// oneSignal is how long repeated signals count as one: timeout(1) signals a process
// twice, directly and with its group.
const oneSignal = time.Second

// UntilInterruptedTwice is like [UntilInterrupted], but the second signal calls again,
// and the third one kills the process.
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
			select {
			case <-signals: // it came before the end, to a process that was not running
			default:
			}
			return
		}
	}
}

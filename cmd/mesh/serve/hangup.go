package serve

import (
	"os"
	"os/signal"
	"syscall"
)

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

//go:build unix

package caller

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// printSignals prints signals and exits with 5 after SIGTERM.
func printSignals() int {
	signals := make(chan os.Signal, 3) // one of each: package signal drops what does not fit
	signal.Notify(signals, syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM)
	fmt.Println(os.Getpid())
	for s := range signals {
		fmt.Println(s)
		if s == syscall.SIGTERM {
			return 5
		}
	}
	return 0
}

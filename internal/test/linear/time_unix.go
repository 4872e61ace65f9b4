//go:build unix

package linear

import (
	"syscall"
	"time"
)

// processorTime excludes what other programs get on a busy machine.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		panic("no processor time")
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

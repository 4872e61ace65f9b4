// Package linear tells linear from quadratic time on a machine of any speed.
package linear

import (
	"testing"
	"time"
)

const (
	size   = 16 << 10
	factor = 16
	// most limits the ratio of the times: linear is 16, quadratic is 256.
	most  = 4 * factor
	tries = 5
	least = 100 * time.Microsecond // shorter times are measured as this one
)

// Check fails the test if code takes much more than 16 times as long for an input with 16
// times the size. It calls prepare for both sizes, and compares the processor time in the
// fastest runs. The test must not be parallel.
func Check(t testing.TB, prepare func(size int) (run func())) {
	t.Helper()
	small, large := prepare(size), prepare(factor*size)
	short, long := took(small), took(large)
	for range tries {
		if long <= most*short {
			return
		}
		short, long = min(short, took(small)), min(long, took(large))
	}
	t.Errorf("%d bytes take %v, and %d bytes %v", size, short, factor*size, long)
}

func took(run func()) time.Duration {
	before := processorTime()
	run()
	return max(processorTime()-before, least)
}

package gatewaytest

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// In a synctest bubble the clock starts at a full second and moves only by sleeping.
func TestTimestampOmitsAZeroFraction(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		assert.Equal(t, "2000-01-01T00:00:00+00:00", timestamp())
		time.Sleep(1500 * time.Microsecond)
		assert.Equal(t, "2000-01-01T00:00:00.001500+00:00", timestamp())
		time.Sleep(time.Second - 1500*time.Microsecond + 999*time.Nanosecond)
		assert.Equal(t, "2000-01-01T00:00:01+00:00", timestamp(), "nanoseconds do not count")
	})
}

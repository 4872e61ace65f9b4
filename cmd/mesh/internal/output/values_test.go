package output_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

func TestTimes(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]string{
		-time.Hour: "in the future", -time.Second: "now", 59 * time.Second: "now", 61 * time.Second: "1m ago", 90 * time.Minute: "1h ago",
		47 * time.Hour: "47h ago", 48 * time.Hour: "2d ago",
	} {
		synctest.Test(t, func(t *testing.T) { // the clock begins at 2000-01-01 and advances only in pauses
			at := time.Now().Add(-age).UTC()
			assert.Equal(t, at.Format("2006-01-02 15:04")+" UTC ("+want+")", output.Time(at.Format(time.RFC3339)))
		})
	}
	assert.Equal(t, "yesterday", output.Time("yesterday"), "a time in another format stays as it is")
}

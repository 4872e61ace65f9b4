package mail

import (
	"time"

	"github.com/mesh-gateway/mesh-go/client"
)

// idleInterval is the longest pause between two polls of a command that waits for mail.
const idleInterval = 30 * time.Second

// Polls returns the options of a polling with --interval. An interval of 0 is the default, which grows while no message arrives.
func Polls(interval time.Duration) client.WatchOptions {
	if interval == 0 {
		return client.WatchOptions{IdleInterval: idleInterval}
	}
	return client.WatchOptions{Interval: interval}
}

//go:build !unix

package linear

import "time"

var began = time.Now()

func processorTime() time.Duration { return time.Since(began) }

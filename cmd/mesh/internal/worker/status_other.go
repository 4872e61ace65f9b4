//go:build !unix

package worker

import (
	"os"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// SignalStatus returns the exit status of a command that a signal ended.
func SignalStatus(*os.ProcessState) int { return exit.Failed }

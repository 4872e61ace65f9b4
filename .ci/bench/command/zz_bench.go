// This file is built into package main of cmd/mesh, with go build -overlay.

package main

import (
	"fmt"
	"os"

	"github.com/mesh-gateway/mesh-go/.ci/bench/measure"
)

func init() {
	measure.Write(func() {
		if status := start(); status > 1 {
			fmt.Fprintln(os.Stderr, "exit status", status)
			os.Exit(status)
		}
	})
	os.Exit(0)
}

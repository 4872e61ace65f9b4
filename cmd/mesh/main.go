// Command mesh is the SDK at a prompt: messages of a mesh gateway, models, prices, bills and the credential scan.
//
//	mesh gateway --token dev --peer node-b &          # a gateway in memory, for development
//	export MESH_GATEWAY_URL=http://127.0.0.1:8787/gateway MESH_GATEWAY_TOKEN=dev MESH_NODE=node-a
//	mesh register
//	mesh send node-b question "Is the build green?"
//	mesh inbox --watch
//
// A flag takes precedence over MESH_NODE and MESH_GATEWAY_URL. The gateway token comes from MESH_GATEWAY_TOKEN or from the file
// of --token-file or MESH_TOKEN_FILE, never from an argument, since arguments appear in process lists. Keys of providers come from the
// environment, as package discovery documents them.
//
// The exit status is 0 when the work is done, 1 when something was found (a credential, a retired model, too much drift), 2
// for wrong use, 3 when the gateway, a provider or the output failed, and 4 when a message was refused. docs/command.md lists the
// commands.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

func main() { os.Exit(start()) }

// start runs the command line of the process and returns the exit status.
func start() int {
	log.SetOutput(stdLog{os.Stderr})
	return run(context.Background(), &app.App{In: os.Stdin, Out: os.Stdout, Errs: os.Stderr}, os.Args[1:])
}

// stdLog is the output of the standard logger of package log. It redacts what other packages print there.
type stdLog struct{ w io.Writer }

// Write writes one record, with the credentials in it replaced.
func (l stdLog) Write(record []byte) (int, error) {
	text := strings.TrimSuffix(string(record), "\n")
	// net/http quotes up to 4 KiB that follow a response: perhaps a part of a token, in any encoding.
	if before, _, quotes := strings.Cut(text, `"`); quotes {
		text = before + "[a quoted text is not shown, since it may contain a credential]"
	}
	if _, err := fmt.Fprintln(l.w, output.Lines(exit.Redact(text))); err != nil {
		return 0, err
	}
	return len(record), nil
}

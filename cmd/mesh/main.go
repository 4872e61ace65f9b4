// Command mesh exchanges messages through a mesh gateway, shows models, prices and bills,
// meters LLM calls and scans for credentials.
//
//	mesh gateway --token dev --peer node-b & # an in-memory gateway
//	export MESH_GATEWAY_URL=http://127.0.0.1:8787/gateway MESH_GATEWAY_TOKEN=dev MESH_NODE=node-a
//	mesh register
//	mesh send node-b question "Is the build green?"
//	mesh inbox --watch
//
// Flags override MESH_NODE and MESH_GATEWAY_URL. The gateway token comes from
// MESH_GATEWAY_TOKEN or a file (--token-file, MESH_TOKEN_FILE), never from an argument:
// process lists show arguments. Provider keys come from the environment; package
// discovery lists the variables.
//
// The exit status is 0 for success, 1 if something was found (a credential, a retired
// model, too much drift), 2 for incorrect use, 3 if the gateway, a provider or the output
// failed, and 4 if a message was refused. docs/command.md lists the commands.
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

func start() int {
	log.SetOutput(stdLog{os.Stderr})
	return run(context.Background(), &app.App{In: os.Stdin, Out: os.Stdout, Errs: os.Stderr}, os.Args[1:])
}

// stdLog redacts lines that other packages print with package log.
type stdLog struct{ w io.Writer }

func (l stdLog) Write(record []byte) (int, error) {
	text := strings.TrimSuffix(string(record), "\n")
	// net/http quotes up to 4 KiB that follow a response: possibly half a token, in any
	// encoding
	if before, _, quotes := strings.Cut(text, `"`); quotes {
		text = before + "[quotation hidden: it may contain a credential]"
	}
	if _, err := fmt.Fprintln(l.w, output.Lines(exit.Redact(text))); err != nil {
		return 0, err
	}
	return len(record), nil
}

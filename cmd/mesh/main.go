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
	"log"
	"os"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
)

func main() { os.Exit(start()) }

// start runs the command line of the process and returns the exit status.
func start() int {
	log.SetOutput(stdLog{os.Stderr})
	return run(context.Background(), &app.App{In: os.Stdin, Out: os.Stdout, Errs: os.Stderr}, os.Args[1:])
}

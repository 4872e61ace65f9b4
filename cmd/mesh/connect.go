package main

import (
	"cmp"
	"log/slog"
	"os"
	"regexp"
	"strings"

	"github.com/mesh-gateway/mesh-go/client"
)

// observer is the node name of commands that use no inbox, such as mesh peers.
const observer = "mesh-cli"

// connect returns a client for the own node. Failed requests are repeated; every message has an idempotency key for that.
func (a *app) connect() (*client.MeshClient, error) {
	node := cmp.Or(a.node, os.Getenv("MESH_NODE"))
	if node == "" {
		return nil, usagef("the name of the own node is missing: pass --node or set MESH_NODE")
	}
	if err := checkNode(node); err != nil {
		return nil, err
	}
	return a.connectAs(node)
}

// nodeName is the form of a node name; docs/gateway.md has it.
var nodeName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}[a-z0-9]$`)

// checkNode makes an invalid name wrong use. Package client only logs it, so that a program can start without a gateway.
func checkNode(name string) error {
	if !nodeName.MatchString(name) {
		return usagef("node name %q must be 2 to 64 lower-case letters, digits and hyphens, start with a letter and not end with a hyphen", name)
	}
	return nil
}

// connectAs returns a client for a node.
func (a *app) connectAs(node string) (*client.MeshClient, error) {
	url := cmp.Or(a.gatewayURL, os.Getenv("MESH_GATEWAY_URL"))
	if url == "" {
		return nil, usagef("the URL of the gateway is missing: pass --gateway-url or set MESH_GATEWAY_URL")
	}
	opts := []client.Option{client.WithGatewayURL(url), client.WithRetry(client.RetryPolicy{}), client.WithLogger(a.logger())}
	if a.tokenFile != "" {
		token, err := os.ReadFile(a.tokenFile)
		if err != nil {
			return nil, usagef("--token-file: %w", err)
		}
		opts = append(opts, client.WithToken(strings.TrimSpace(string(token))))
	}
	a.progress.start()
	return client.New(node, opts...)
}

// logger returns a logger of warnings to stderr.
func (a *app) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(a.errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

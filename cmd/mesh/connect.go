package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// observer is the node name of commands that use no inbox, such as mesh peers.
const observer = "mesh-cli"

// meshCommand is what a subcommand does with a client of the gateway.
type meshCommand func(ctx context.Context, c *client.MeshClient, args []string) error

// observe returns the function of a cobra command that needs a gateway but no node of its own.
func (a *app) observe(do meshCommand) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error { return a.with(cmd.Context(), observer, do, args) }
}

// asNode returns the function of a cobra command that acts as this node.
func (a *app) asNode(do meshCommand) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		node, err := a.thisNode()
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), node, do, args)
	}
}

var errNoNode = usagef("the name of this node is missing: pass --node or set MESH_NODE")

// thisNode returns the name of this node.
func (a *app) thisNode() (string, error) {
	s, err := a.settings()
	if err != nil {
		return "", err
	}
	node := s.node.Value
	if node == "" {
		return "", errNoNode
	}
	if err := a.checkNames(name{"the name of this node", node}); err != nil { // before an error shows it
		return "", err
	}
	return node, client.ValidNodeName(node)
}

// name is a text that the gateway stores and shows to all nodes, and where it comes from.
type name struct{ what, text string }

// checkNames returns an error if a name contains a credential: a variable may expand to one by mistake.
func (a *app) checkNames(names ...name) error {
	scanner, err := a.scanner(false)
	for _, n := range names {
		err = cmp.Or(err, lookup.CheckName(scanner, n.what, n.text))
	}
	return err
}

// with calls do with a client for a node.
func (a *app) with(ctx context.Context, node string, do meshCommand, args []string) error {
	c, err := a.connect(node)
	if err != nil {
		return err
	}
	defer c.Close()
	a.progress.Start()
	return do(ctx, c, args)
}

// connect returns a client for a node. Failed requests are repeated; every message has an idempotency key for that.
func (a *app) connect(node string) (*client.MeshClient, error) {
	s, err := a.settings()
	if err != nil {
		return nil, err
	}
	if s.gateway.Value == "" {
		return nil, usagef("the URL of the gateway is missing: pass --gateway-url or set MESH_GATEWAY_URL")
	}
	token, err := a.token()
	if err = cmp.Or(err, s.checkToken()); err != nil {
		return nil, err
	}
	return client.New(node, client.WithGatewayURL(s.gateway.Value), client.WithToken(token), client.WithRetry(client.RetryPolicy{}), client.WithLogger(a.logger()))
}

// lookupTime bounds a look-up that is only for a warning.
const lookupTime = 3 * time.Second

// warnUnregistered warns that this node is not registered. It ignores a look-up that fails, since the command itself has succeeded.
func (a *app) warnUnregistered(ctx context.Context, c *client.MeshClient, consequence string) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	_, err := c.GetPeer(ctx, c.Node())
	var unknown *client.NotInRegistryError
	if errors.As(err, &unknown) {
		a.progress.Stop()
		fmt.Fprintf(a.errs, "mesh: warning: %s is not registered and %s; mesh register --node %[1]s\n", c.Node(), consequence)
	}
}

// tokenOf returns the token in a file.
func (a *app) tokenOf(file setting) (string, error) {
	text, err := readBounded(file.Value, maxTokenFile) // also of a pipe, as in --token-file <(pass show mesh)
	if err != nil {
		return "", usagef("%s: %w", file.Source, err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", usagef("%s: %s is empty", file.Source, file.Value)
	}
	if info, err := os.Stat(file.Value); err == nil && readableByOthers(info) {
		fmt.Fprintf(a.errs, "mesh: warning: %[2]s: other users can read %[1]s; chmod 600 %[1]s\n", output.Line(file.Value), output.Line(file.Source))
	}
	return token, nil
}

// maxTokenFile bounds the file of a token, in bytes.
const maxTokenFile = 64 << 10

// readBounded returns the content of a file that has at most limit bytes.
func readBounded(file string, limit int64) ([]byte, error) {
	f, err := os.Open(file) //nolint:gosec // the user names the file
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", file, limit)
	}
	return content, err
}

// readableByOthers reports whether the permissions of a file let other users read it. Windows has no such permissions.
func readableByOthers(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o044 != 0
}

// logger returns a logger of warnings to stderr.
func (a *app) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(a.errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

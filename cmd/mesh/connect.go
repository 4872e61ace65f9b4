package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
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
	node := s.Node.Value
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
	if s.Gateway.Value == "" {
		return nil, usagef("the URL of the gateway is missing: pass --gateway-url or set MESH_GATEWAY_URL")
	}
	token, err := a.token()
	if err = cmp.Or(err, wrongUse(s.CheckToken())); err != nil {
		return nil, err
	}
	return client.New(node, client.WithGatewayURL(s.Gateway.Value), client.WithToken(token), client.WithRetry(client.RetryPolicy{}), client.WithLogger(a.logger()))
}

// lookupTime bounds a look-up that a command can do without.
const lookupTime = 3 * time.Second

// warnUnregistered warns that this node is not registered.
func (a *app) warnUnregistered(ctx context.Context, c *client.MeshClient, consequence string) {
	if unregistered(ctx, c) != nil {
		a.progress.Stop()
		fmt.Fprintf(a.errs, "mesh: warning: %s is not registered and %s; mesh register --node %[1]s\n", c.Node(), consequence)
	}
}

// unregistered returns the error of a node that is not registered. It ignores a look-up that fails, since the command itself may succeed.
func unregistered(ctx context.Context, c *client.MeshClient) error {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	_, err := c.GetPeer(ctx, c.Node())
	if unknown := (*client.NotInRegistryError)(nil); errors.As(err, &unknown) {
		return fmt.Errorf("this node cannot receive answers: %w; mesh register --node %s", err, c.Node())
	}
	return nil
}

// readSettings returns the settings of the flags. Wrong ones are wrong use.
func (a *app) readSettings() (profile.Settings, error) {
	s, err := profile.Read(a.flags)
	return s, wrongUse(err)
}

// readToken returns the token for the gateway, or "" without one.
func (a *app) readToken() (string, error) {
	s, err := a.settings()
	if err != nil {
		return "", err
	}
	token, err := s.Token()
	a.warnReadable(s.TokenFile, err)
	return token, wrongUse(err)
}

// warnReadable warns of a file with a token that other users can read, unless it could not be read at all.
func (a *app) warnReadable(file profile.Setting, err error) {
	if err == nil && file.ReadableByOthers() {
		fmt.Fprintf(a.errs, "mesh: warning: %[2]s: other users can read %[1]s; chmod 600 %[1]s\n", output.Line(file.Value), output.Line(file.Source))
	}
}

// logger returns a logger of warnings to stderr.
func (a *app) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(a.errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

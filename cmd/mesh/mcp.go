package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/tools"
	"github.com/mesh-gateway/mesh-go/discovery"
)

func newMCP(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Give an agent the mesh as tools: a Model Context Protocol server on stdin and stdout",
		Long: `Mcp runs a Model Context Protocol server on stdin and stdout. It registers this node if it is not registered yet.
The configuration of an agent is:

  {"mcpServers": {"mesh": {"command": "mesh", "args": ["mcp", "--node", "node-a", "--gateway-url", "http://gateway:8787",
    "--token-file", "/path/to/token"]}}}`,
		Example: "  mesh mcp --node node-a --token-file ~/.mesh-token",
		Args:    args(cobra.NoArgs),
		RunE:    a.asNode(func(ctx context.Context, c *client.MeshClient, _ []string) error { return a.serveTools(ctx, c) }),
	}
}

func (a *app) serveTools(ctx context.Context, c *client.MeshClient) error {
	a.progress.Stop()
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	scanner, err := a.scanner(true)
	if err != nil {
		return err
	}
	if err := a.join(ctx, c); err != nil {
		a.warn(fmt.Errorf("the node is not registered: %w", err))
	}
	options := []discovery.Option{discovery.WithLogger(slog.New(slog.DiscardHandler)), discovery.WithStrictErrors()}
	models := discovery.New(append(options, a.providers...)...)
	err = tools.NewServer(c, models, scanner).Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(a.in), Writer: stdout{a.out}})
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return failedf("the session ended: stdin is not the Model Context Protocol: %w", err)
}

// join registers this node unless it is registered.
func (a *app) join(ctx context.Context, c *client.MeshClient) error {
	_, err := c.GetPeer(ctx, c.Node())
	var unknown *client.NotInRegistryError
	if !errors.As(err, &unknown) {
		return err
	}
	req, err := registration(ctx, c, "")
	if err != nil {
		return err
	}
	_, err = c.Register(ctx, req)
	return err
}

// stdout stays open when the session ends.
type stdout struct{ io.Writer }

func (stdout) Close() error { return nil }

// Package mcp implements mesh mcp: it serves package tools to an agent and keeps the
// node registered.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/tools"
	"github.com/mesh-gateway/mesh-go/discovery"
)

// New returns the mesh mcp command.
func New(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve mesh tools to an agent over MCP",
		Long: `Mcp runs a Model Context Protocol server on stdin and stdout. It registers this node if necessary, even
again after the gateway has lost it.

Add it to your agent's configuration:

  {"mcpServers": {"mesh": {"command": "mesh", "args": ["mcp",
    "--node", "node-a", "--gateway-url", "http://gateway:8787/gateway",
    "--token-file", "/path/to/token"]}}}`,
		Example: "  mesh mcp --node node-a --token-file ~/.mesh-token\n  mesh mcp --profile work",
		Args:    cobra.NoArgs,
		RunE:    a.AsNode(func(ctx context.Context) error { return run(ctx, a) }),
	}
	a.RulesFlag(cmd)
	return cmd
}

func run(ctx context.Context, a *app.App) error {
	a.Progress.Stop()
	ctx, stop := app.UntilInterrupted(ctx)
	defer stop()
	scanner, err := a.MessageScanner()
	if err != nil {
		return err
	}
	if f, ok := a.In.(*os.File); ok && output.Terminal(f) {
		a.Note("waiting for an agent on stdin; mesh help mcp has its configuration")
	}
	m := member{client: a.Client}
	if err := m.join(ctx); err != nil {
		a.Warn(fmt.Errorf("the node is not registered: %w", err))
	}
	go m.stay(ctx, a.Warn)
	f, _ := a.Facts()
	options := []discovery.Option{discovery.WithFacts(f), discovery.WithLogger(slog.New(slog.DiscardHandler)), discovery.WithStrictErrors()}
	models := app.NewDiscovery(append(options, a.Providers...))
	server := tools.NewServer(a.Client, models, scanner)
	server.AddReceivingMiddleware(endCalls(ctx))
	ended := make(chan struct{})
	in, out := newExactIDs().wrap(a.In, a.Out, refusal)
	go func() {
		err = server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: stdout{out}})
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		select { // endCalls ends calls, but the session may keep waiting for stdin
		case <-ended:
		case <-time.After(endTime):
		}
		return nil
	}
	if err != nil && ctx.Err() == nil {
		return exit.Failedf("invalid MCP message on stdin: %w", err)
	}
	return nil
}

// endTime bounds the wait for an interrupted session.
const endTime = 500 * time.Millisecond

// endCalls cancels tool calls when ctx ends: the session would wait for them.
func endCalls(ctx context.Context) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(call context.Context, method string, req mcp.Request) (mcp.Result, error) {
			call, cancel := context.WithCancel(call)
			defer cancel()
			defer context.AfterFunc(ctx, cancel)()
			return next(call, method, req)
		}
	}
}

// stdout ignores Close: the session closes its writer.
type stdout struct{ io.Writer }

func (stdout) Close() error { return nil }

// member keeps a node registered.
type member struct {
	client *client.MeshClient
	known  *client.RegisterRequest // restored after a gateway loses it
}

func (m *member) join(ctx context.Context) error {
	peer, err := m.client.GetPeer(ctx, m.client.Node())
	var unknown *client.NotInRegistryError
	switch {
	case err == nil:
		m.known = &client.RegisterRequest{URL: peer.GetURL(), Capabilities: peer.Capabilities}
		return nil
	case !errors.As(err, &unknown):
		return err
	case m.known == nil:
		m.known = &client.RegisterRequest{}
	}
	_, err = m.client.Register(ctx, *m.known)
	return err
}

const joinInterval = 30 * time.Second

// stay calls join until ctx ends. For consecutive failures it reports only the first.
func (m *member) stay(ctx context.Context, report func(error)) {
	checks := time.NewTicker(joinInterval)
	defer checks.Stop()
	for failed := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-checks.C:
		}
		err := m.join(ctx)
		if err != nil && !failed && ctx.Err() == nil {
			report(err)
		}
		failed = err != nil
	}
}

// Package gateway is mesh gateway: a gateway in memory, for development.
package gateway

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/listen"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
)

// Options are the flags of mesh gateway.
type Options struct {
	*app.App
	addr, token, tokenOut string
	peers, hosts          []string
}

// New returns the command mesh gateway.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	cmd := &cobra.Command{
		Use:   "gateway",
		Short: "Run a gateway in memory, for development; all data is lost when it ends",
		Long: `Gateway runs a mesh gateway in memory until it is interrupted. It is for development and tests: all nodes and messages are
lost when it ends. It requires the token of --token, --token-file or MESH_GATEWAY_TOKEN, or with --token-out the token that this file has,
else a new one.

Without a token it accepts every request to localhost, 127.0.0.1, [::1], the address of --addr and the names of --host. Requests to
other names are refused: a web page could send them.`,
		Example: "  mesh gateway --token dev\n  mesh gateway --addr 127.0.0.1:0 --peer node-b --token-out token",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	cmd.Flags().StringVar(&o.addr, "addr", "127.0.0.1:8787", "address to listen on; port 0 selects a free port")
	cmd.Flags().StringVar(&o.token, "token", "", "token that the gateway requires; not a secret, because process lists show it")
	cmd.Flags().StringVar(&o.tokenOut, "token-out", "", "file that receives the token, readable by its owner only")
	cmd.Flags().StringArrayVar(&o.peers, "peer", nil, "name of a node that is registered from the start (repeatable)")
	cmd.Flags().StringArrayVar(&o.hosts, "host", nil, "`NAME` under which clients reach a gateway without a token (repeatable)")
	return cmd
}

// run runs a gateway until ctx ends or it is interrupted.
func run(ctx context.Context, o *Options) error {
	if err := listen.Check("--addr", o.addr); err != nil {
		return err
	}
	for _, peer := range o.peers {
		if err := client.ValidNodeName(peer); err != nil {
			return fmt.Errorf("--peer: %w", err)
		}
	}
	file, err := profile.TokenOut(o.tokenOut)
	if err != nil {
		return exit.Usagef("--token-out: %w", err)
	}
	defer file.Discard()
	opts := []gatewaytest.Option{gatewaytest.WithAddr(o.addr), gatewaytest.WithoutRequestLog(), gatewaytest.WithPeers(o.peers...)}
	token, err := o.gatewayToken()
	if err != nil {
		return err
	}
	if token != "" {
		opts = append(opts, gatewaytest.WithToken(token))
	} else {
		opts = append(opts, gatewaytest.WithHosts(o.names()...))
	}
	ctx, stop := app.UntilInterrupted(ctx)
	defer stop()
	g, err := gatewaytest.Listen(opts...)
	if err != nil {
		return listen.Error("--addr", err)
	}
	defer g.Close()
	if err := file.Commit([]byte(token + "\n")); err != nil {
		return err
	}
	open := ""
	if token == "" {
		open = " It has no token and accepts every request."
	}
	if err := o.PrintLine(map[string]string{"url": g.URL}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "# A gateway in memory, for development. All data is lost when it ends.%s\nexport MESH_GATEWAY_URL=%s\n", open, g.URL)
		return err
	}); err != nil {
		return err
	}
	if token == "" && !listen.IsLoopback(g.URL) {
		o.Warn(fmt.Errorf("there is no token: everybody who reaches %s can read and send all messages", g.URL))
	}
	<-ctx.Done()
	return nil
}

// names returns the hosts of a gateway without a token.
func (o *Options) names() []string {
	names := append([]string{"localhost", "127.0.0.1", "::1"}, o.hosts...)
	host, _, _ := net.SplitHostPort(o.addr)
	if host == "" { // of all interfaces, as its URL names them
		return append(names, netip.IPv6Unspecified().String(), netip.IPv4Unspecified().String())
	}
	return append(names, host)
}

// gatewayToken returns the token of the gateway, or "" for a gateway that accepts every request.
func (o *Options) gatewayToken() (string, error) {
	file := profile.Setting{Value: o.Flags.TokenFile, Source: "--token-file"}
	if file.Value == "" && o.tokenOut == "" {
		file = profile.Setting{Value: os.Getenv(profile.TokenFileVariable), Source: profile.TokenFileVariable}
	}
	switch {
	case o.token != "":
		return o.token, nil
	case file.Value != "":
		token, err := file.Token()
		o.WarnReadable(file, err)
		return token, exit.WrongUse(err)
	case o.tokenOut != "":
		token, err := profile.Setting{Value: o.tokenOut}.Token()
		if err == nil && !strings.ContainsAny(token, " \n") {
			return token, nil // of another gateway, whose clients go on with the file
		}
		return rand.Text(), nil
	default:
		return os.Getenv(profile.TokenVariable), nil // a profile is for another gateway
	}
}

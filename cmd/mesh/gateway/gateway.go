// Package gateway implements mesh gateway: an in-memory gateway for development.
package gateway

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
)

type options struct {
	*app.App
	addr, token, tokenOut string
	peers, hosts          []string
}

// New returns the mesh gateway command.
func New(a *app.App) *cobra.Command {
	o := &options{App: a}
	cmd := &cobra.Command{
		Use:   "gateway",
		Short: "Run an in-memory gateway for development",
		Long: `Gateway runs a mesh gateway until you interrupt it. It's for development and tests: nodes and messages are lost when it ends.

Clients need the token from --token, --token-file or MESH_GATEWAY_TOKEN. With --token-out, the gateway uses the token already in that
file, or writes a new one.

If there is no token, the gateway accepts every request to localhost, 127.0.0.1, [::1], the --listen host and each --host. It refuses
other host names, which a web page could use.`,
		Example: "  mesh gateway --token dev\n  mesh gateway --listen 127.0.0.1:0 --peer node-b --token-out token",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	const address = "127.0.0.1:8787"
	flags := cmd.Flags()
	flags.StringVar(&o.addr, "listen", address, "listen on `ADDR`; port 0 is a free one")
	flags.StringVar(&o.addr, "addr", address, "")
	flags.Lookup("addr").Hidden = true // the former name of --listen
	flags.StringVar(&o.token, "token", "", "required token; process lists show it, so don't pass a secret")
	flags.StringVar(&o.tokenOut, "token-out", "", "file to write the token to, readable only by you")
	flags.StringArrayVar(&o.peers, "peer", nil, "name of a node to register at the start; repeatable")
	flags.StringArrayVar(&o.hosts, "host", nil, "host `NAME` to accept if there is no token; repeatable")
	return cmd
}

func run(ctx context.Context, o *options) error {
	if err := app.CheckListen(o.addr); err != nil {
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
		return app.ListenError(err)
	}
	defer g.Close()
	if err := file.Commit([]byte(token + "\n")); err != nil {
		return err
	}
	access := " Clients need its token (MESH_GATEWAY_TOKEN or --token-file)."
	if token == "" {
		access = " There is no token: it accepts every request."
	}
	text := fmt.Sprintf("# An in-memory gateway for development. All data is lost when it ends.%s\nexport MESH_GATEWAY_URL=%s\n", access, g.URL)
	if err := o.PrintLine(map[string]string{"url": g.URL}, output.Fixed(text)); err != nil {
		return err
	}
	if token == "" && !app.IsLoopback(g.URL) {
		o.Warn(fmt.Errorf("no token: anyone who can reach %s can read and send all messages", g.URL))
	}
	<-ctx.Done()
	return nil
}

func (o *options) names() []string {
	names := append([]string{"localhost", "127.0.0.1", "::1"}, o.hosts...)
	host, _, _ := net.SplitHostPort(o.addr)
	if host == "" { // all interfaces; the gateway's URL shows one of these addresses
		return append(names, netip.IPv6Unspecified().String(), netip.IPv4Unspecified().String())
	}
	return append(names, host)
}

// gatewayToken returns "" for an open gateway.
func (o *options) gatewayToken() (string, error) {
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
			return token, nil // clients of an earlier gateway can keep using the file
		}
		return rand.Text(), nil
	default:
		return os.Getenv(profile.TokenVariable), nil // not a profile's: that's for another gateway
	}
}

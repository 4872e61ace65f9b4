package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
)

// gatewayFlags are the flags of mesh gateway.
type gatewayFlags struct {
	addr, token, tokenOut string
	peers                 []string
}

func newGateway(a *app) *cobra.Command {
	var f gatewayFlags
	cmd := &cobra.Command{
		Use:   "gateway",
		Short: "Run a gateway in memory, for development; all data is lost when it ends",
		Long: `Gateway runs a mesh gateway in memory until it is interrupted. It is for development and tests: all nodes and messages are
lost when it ends. It requires the token of --token, --token-file or MESH_GATEWAY_TOKEN, or with --token-out the token that this file has,
else a new one. Without a token it accepts every request.`,
		Example: "  mesh gateway --token dev\n  mesh gateway --addr 127.0.0.1:0 --peer node-b --token-out token",
		Args:    args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runGateway(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.addr, "addr", "127.0.0.1:8787", "address to listen on; port 0 selects a free port")
	cmd.Flags().StringVar(&f.token, "token", "", "token that the gateway requires; not a secret, because process lists show it")
	cmd.Flags().StringVar(&f.tokenOut, "token-out", "", "file that receives the token, readable by its owner only")
	cmd.Flags().StringArrayVar(&f.peers, "peer", nil, "name of a node that is registered from the start (repeatable)")
	return cmd
}

func (a *app) runGateway(ctx context.Context, f gatewayFlags) error {
	if err := checkListen("--addr", f.addr); err != nil {
		return err
	}
	for _, peer := range f.peers {
		if err := client.ValidNodeName(peer); err != nil {
			return fmt.Errorf("--peer: %w", err)
		}
	}
	file, err := profile.CreateTokenOut(f.tokenOut)
	if err != nil {
		return usagef("--token-out: %w", err)
	}
	defer file.Close()
	opts := []gatewaytest.Option{gatewaytest.WithAddr(f.addr), gatewaytest.WithoutRequestLog(), gatewaytest.WithPeers(f.peers...)}
	token, err := a.gatewayToken(f)
	if err != nil {
		return err
	}
	if token != "" {
		opts = append(opts, gatewaytest.WithToken(token))
	}
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	g, err := gatewaytest.Listen(opts...)
	if err != nil {
		return listenError("--addr", err)
	}
	defer g.Close()
	if err := file.Write(token); err != nil {
		return err
	}
	open := ""
	if token == "" {
		open = " It has no token and accepts every request."
	}
	if err := a.printLine(map[string]string{"url": g.URL}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "# A gateway in memory, for development. All data is lost when it ends.%s\nexport MESH_GATEWAY_URL=%s\n", open, g.URL)
		return err
	}); err != nil {
		return err
	}
	if token == "" && !isLoopback(g.URL) {
		a.warn(fmt.Errorf("there is no token: everybody who reaches %s can read and send all messages", g.URL))
	}
	<-ctx.Done()
	return nil
}

// listenError returns the error of an address to listen on.
func listenError(flag string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return usagef("%w; another mesh may run there; %s 127.0.0.1:0 selects a free port", err, flag)
	}
	return usagef("%s: %w", flag, err)
}

// checkListen refuses a port alone as an address to listen on.
func checkListen(flag, addr string) error {
	if _, err := strconv.ParseUint(addr, 10, 16); err == nil {
		return usagef("%s %q must be 127.0.0.1:%[2]s, or :%[2]s for all interfaces", flag, addr)
	}
	return nil
}

// isLoopback reports whether only this machine reaches a URL, whose host is an address with a port.
func isLoopback(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddrPort(u.Host)
	return err == nil && addr.Addr().Unmap().IsLoopback()
}

// tokenOf returns the token in a file.
func (a *app) tokenOf(file profile.Setting) (string, error) {
	token, err := file.Token()
	a.warnReadable(file, err)
	return token, wrongUse(err)
}

// gatewayToken returns the token of the gateway, or "" for a gateway that accepts every request.
func (a *app) gatewayToken(f gatewayFlags) (string, error) {
	switch {
	case f.token != "":
		return f.token, nil
	case a.flags.TokenFile != "":
		return a.tokenOf(profile.Setting{Value: a.flags.TokenFile, Source: "--token-file"})
	case f.tokenOut == "" && os.Getenv(profile.TokenFileVariable) != "":
		return a.tokenOf(profile.Setting{Value: os.Getenv(profile.TokenFileVariable), Source: profile.TokenFileVariable})
	case f.tokenOut != "":
		token, err := profile.Setting{Value: f.tokenOut}.Token()
		if err == nil && !strings.ContainsAny(token, " \n") {
			return token, nil // of another gateway, whose clients go on with the file
		}
		return rand.Text(), nil
	default:
		return os.Getenv(profile.TokenVariable), nil // a profile is for another gateway
	}
}

// Package nodes has the commands for nodes and the gateway: register, peers, peer, whoami and health.
package nodes

import (
	"context"
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

// NewPeers returns the command mesh peers.
func NewPeers(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "peers",
		Short:   "List the registered nodes",
		Example: "  mesh peers\n  mesh peers -o json",
		Args:    app.Args(cobra.NoArgs),
		RunE: a.Observe(func(ctx context.Context, c *client.MeshClient, _ []string) error {
			peers, err := c.ListPeers(ctx)
			if err = a.SkipInvalid(err); err != nil {
				return err
			}
			return a.Print(peers, func(w io.Writer) error { return peerTable(w, peers) })
		}),
	}
}

func peerTable(w io.Writer, peers []client.MeshPeer) error {
	rows := make([][]string, len(peers))
	for i, p := range peers {
		rows[i] = []string{p.Name, output.YesNo(p.Enabled), seen(p.LastSeen), output.Text(p.URL)}
	}
	return output.Table(w, []table.Column{table.Key("NAME"), table.Plain("ENABLED", 1), table.Plain("LAST SEEN", 2), table.Key("URL")}, rows)
}

func seen(at *string) string {
	if at == nil {
		return output.Unknown
	}
	return output.Time(*at)
}

// NewPeer returns the command mesh peer.
func NewPeer(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:               "peer NAME",
		Short:             "Show one registered node with its capabilities",
		Example:           "  mesh peer node-b\n  mesh peer node-b -o json",
		Args:              app.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: app.CompleteArgs(a.CompleteNode),
		RunE: a.Observe(func(ctx context.Context, c *client.MeshClient, names []string) error {
			peer, err := c.GetPeer(ctx, names[0])
			if err != nil {
				return err
			}
			return a.Print(peer, func(w io.Writer) error { return peerDetails(w, peer) })
		}),
	}
}

func peerDetails(w io.Writer, p *client.MeshPeer) error {
	capabilities, err := json.Marshal(p.Capabilities)
	if err != nil {
		return err
	}
	return output.Table(w, []table.Column{table.Plain("FIELD", 0), table.Key("VALUE")}, [][]string{
		{"name", p.Name},
		{"url", output.Text(p.URL)},
		{"enabled", output.YesNo(p.Enabled)},
		{"last seen", seen(p.LastSeen)},
		{"registered", seen(p.RegisteredAt)},
		{"capabilities", string(capabilities)},
	})
}

// Package nodes has the commands for nodes and the gateway: register, peers, peer, whoami and health.
package nodes

import (
	"context"
	"encoding/json"

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
		Args:    cobra.NoArgs,
		RunE: a.Observe(func(ctx context.Context) error {
			peers, err := a.Client.ListPeers(ctx)
			if err = a.SkipInvalid(err); err != nil {
				return err
			}
			columns := []table.Column{table.Key("NAME"), table.Plain("ENABLED", 1), table.Plain("LAST SEEN", 2), table.Key("URL")}
			return a.PrintTable(peers, columns, table.Rows(peers, func(p *client.MeshPeer) []string {
				return []string{p.Name, output.YesNo(p.Enabled), seen(p.LastSeen), output.Text(p.URL)}
			}))
		}),
	}
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
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: app.CompleteArgs(a.CompleteNode),
		RunE: a.Observe(func(ctx context.Context) error {
			peer, err := a.Client.GetPeer(ctx, a.Args[0])
			if err != nil {
				return err
			}
			capabilities, err := json.Marshal(peer.Capabilities)
			if err != nil {
				return err
			}
			return a.PrintTable(peer, []table.Column{table.Plain("FIELD", 0), table.Key("VALUE")}, [][]string{
				{"name", peer.Name},
				{"url", output.Text(peer.URL)},
				{"enabled", output.YesNo(peer.Enabled)},
				{"last seen", seen(peer.LastSeen)},
				{"registered", seen(peer.RegisteredAt)},
				{"capabilities", string(capabilities)},
			})
		}),
	}
}

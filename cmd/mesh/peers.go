package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
)

func newPeers(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "peers",
		Short: "List the registered nodes",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.connectAs(observer)
			if err != nil {
				return err
			}
			defer c.Close()
			peers, err := c.ListPeers(cmd.Context())
			if err != nil {
				return err
			}
			return a.print(peers, func(w io.Writer) error { return peerTable(w, peers) })
		},
	}
}

func peerTable(w io.Writer, peers []client.MeshPeer) error {
	rows := make([][]string, len(peers))
	for i, p := range peers {
		rows[i] = []string{p.Name, yesNo(p.Enabled), seen(p.LastSeen), orUnknown(p.URL)}
	}
	return table(w, []string{"NAME", "ENABLED", "LAST SEEN", "URL"}, rows)
}

func seen(at *string) string {
	if at == nil {
		return unknown
	}
	return when(*at)
}

func newPeer(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "peer NAME",
		Short: "Show one registered node with its capabilities",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, names []string) error {
			c, err := a.connectAs(observer)
			if err != nil {
				return err
			}
			defer c.Close()
			peer, err := c.GetPeer(cmd.Context(), names[0])
			if err != nil {
				return err
			}
			return a.print(peer, func(w io.Writer) error { return peerDetails(w, peer) })
		},
	}
}

func peerDetails(w io.Writer, p *client.MeshPeer) error {
	capabilities, err := json.Marshal(p.Capabilities)
	if err != nil {
		return err
	}
	return table(w, []string{"FIELD", "VALUE"}, [][]string{
		{"name", p.Name},
		{"url", orUnknown(p.URL)},
		{"enabled", yesNo(p.Enabled)},
		{"last seen", seen(p.LastSeen)},
		{"registered", seen(p.RegisteredAt)},
		{"capabilities", string(capabilities)},
	})
}

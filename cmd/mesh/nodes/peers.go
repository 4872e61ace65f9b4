// Package nodes implements mesh register, peers, peer, whoami and health.
package nodes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/internal/editdistance"
)

// NewPeers returns the mesh peers command.
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

// NewPeer returns the mesh peer command.
func NewPeer(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:               "peer NAME",
		Short:             "Show a node and its capabilities",
		Example:           "  mesh peer node-b\n  mesh peer node-b -o json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: app.CompleteArgs(a.CompleteNode),
		RunE: a.Observe(func(ctx context.Context) error {
			if err := a.CheckName("NAME", a.Args[0]); err != nil {
				return err
			}
			peer, err := a.Client.GetPeer(ctx, a.Args[0])
			if err != nil {
				return suggest(ctx, a, err)
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

// suggest adds a similar name to an error about an unknown one.
func suggest(ctx context.Context, a *app.App, err error) error {
	var unknown *client.NotInRegistryError
	if !errors.As(err, &unknown) {
		return err
	}
	peers, _ := a.Client.ListPeers(ctx)
	var names []string
	for _, p := range peers {
		if client.ValidNodeName(p.Name) == nil {
			names = append(names, p.Name)
		}
	}
	if name := editdistance.Nearest(a.Args[0], names); name != "" {
		unknown.Near = []string{name}
	}
	return err
}

type registerOptions struct {
	*app.App
	url, capabilities, tokenOut string
	replace                     bool
}

// NewRegister returns the mesh register command.
func NewRegister(a *app.App) *cobra.Command {
	o := &registerOptions{App: a}
	cmd := &cobra.Command{
		Use:   "register",
		Short: "Register this node, or change its URL and capabilities",
		Long: `Register registers this node. Omitted flags keep the registered values. --capabilities sets the keys that
you pass and keeps the others, unless you add --replace. The gateway returns a node's token only once, from
its first registration: --token-out saves it.`,
		Example: "  mesh register --node node-a\n  mesh register --url http://10.0.0.7:8787 --token-out ~/.mesh-token",
		Args: func(_ *cobra.Command, given []string) error {
			if len(given) > 0 {
				return exit.Usagef("register has no arguments; use --node for the name of the node")
			}
			return nil
		},
		RunE: a.AsNode(o.run),
	}
	flags := cmd.Flags()
	flags.StringVar(&o.url, "url", "", "`URL` to register (default unchanged, or http://NODE:8787)")
	flags.StringVar(&o.capabilities, "capabilities", "", "`JSON` object that describes the node (default unchanged)")
	flags.BoolVar(&o.replace, "replace", false, "remove capabilities missing from --capabilities")
	flags.StringVar(&o.tokenOut, "token-out", "", "write the node's token to this `FILE`, readable only by you")
	return cmd
}

func (o *registerOptions) run(ctx context.Context) error {
	capabilities, err := parseCapabilities(o.capabilities)
	if err != nil {
		return err
	}
	offered, err := json.Marshal(capabilities) // decoded, to scan the real text
	if err != nil {
		return err
	}
	if err := cmp.Or(o.CheckURL(o.url), o.CheckName("--capabilities", string(offered))); err != nil {
		return err
	}
	file, err := profile.TokenOut(o.tokenOut)
	if err != nil {
		return exit.Usagef("--token-out: %w", err)
	}
	defer file.Discard()
	req, err := o.request(ctx, capabilities)
	if err != nil {
		return err
	}
	peer, err := o.Client.Register(ctx, req)
	if err != nil {
		return err
	}
	if peer.PeerToken != nil {
		if err := file.Commit([]byte(peer.PeerToken.Reveal() + "\n")); err != nil {
			return err
		}
	}
	at := ""
	if req.URL != "" {
		at = " at " + output.Line(req.URL)
	}
	return o.Print(peer, output.Fixed(output.Line(peer.Name)+" is registered"+at+tokenNote(peer, o.tokenOut)+"\n"))
}

// request returns the registration to send. If the flags replace an earlier one entirely,
// it doesn't read that, since it may be too large.
func (o *registerOptions) request(ctx context.Context, capabilities map[string]any) (req client.RegisterRequest, err error) {
	switch {
	case o.replace && capabilities == nil:
		return req, exit.Usagef("--replace needs --capabilities")
	case o.replace && o.url != "":
		req.URL = o.url
	default:
		if req, err = registration(ctx, o.Client, o.url); err != nil {
			return req, err
		}
	}
	if o.replace {
		req.Capabilities, req.Extra = capabilities, map[string]any{"full": true}
	} else if capabilities != nil {
		merged := map[string]any{}
		maps.Copy(merged, req.Capabilities)
		maps.Copy(merged, capabilities)
		req.Capabilities = merged
	}
	return req, nil
}

// registration returns a request that keeps the registered values. If they're unreadable,
// it returns an error: registering would erase them.
func registration(ctx context.Context, c *client.MeshClient, url string) (client.RegisterRequest, error) {
	req := client.RegisterRequest{URL: url}
	var unknown *client.NotInRegistryError
	peer, err := c.GetPeer(ctx, c.Node())
	switch {
	case err == nil:
		req.URL, req.Capabilities = cmp.Or(url, peer.GetURL()), peer.Capabilities
	case errors.As(err, &unknown): // first registration
	default:
		return req, err
	}
	return req, nil
}

// parseCapabilities returns nil for "". Integers above 2^53 keep their value.
func parseCapabilities(text string) (object map[string]any, err error) {
	if text == "" {
		return nil, nil //nolint:nilnil // unset
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if !json.Valid([]byte(text)) || decoder.Decode(&object) != nil || object == nil {
		return nil, exit.Usagef("--capabilities must be a JSON object")
	}
	return object, nil
}

// tokenNote says where the token is. It never contains the token.
func tokenNote(peer *client.MeshPeer, file string) string {
	switch {
	case file == "":
		return ""
	case peer.PeerToken == nil:
		return "; the gateway returns a token only at the first registration, so " + output.Line(file) + " was not written"
	default:
		return "; its token is in " + output.Line(file)
	}
}

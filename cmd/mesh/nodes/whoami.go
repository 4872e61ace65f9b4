package nodes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

// identity is what mesh whoami finds out. A nil field is not known.
type identity struct {
	Profile     string          `json:"profile"`
	Node        profile.Setting `json:"node"`
	GatewayURL  profile.Setting `json:"gateway_url"`
	TokenSource string          `json:"token_source"`
	Answers     *bool           `json:"gateway_answers"`
	Accepted    *bool           `json:"token_accepted"`
	Registered  *bool           `json:"registered"`
	Unread      *int            `json:"unread_messages"`
	PricesAsOf  string          `json:"prices_as_of"`
	PricesFrom  string          `json:"prices_from"`
	factsAge    string
}

// NewWhoami returns the command mesh whoami.
func NewWhoami(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "whoami",
		Short: "Show the node, the gateway and where each value comes from, and check them",
		Long: `Whoami prints the node and the gateway and where each value comes from: a flag, --profile, a variable or the default profile.
It checks whether the gateway answers and accepts the token, whether the node is registered, and how many of its messages are
unread, up to 100. It also prints the day of the prices. It never prints the token.

It prints what it has found also after a failure. The exit status is then 2 for a setting that is wrong or missing, and 3 for a gateway
that does not answer or refuses the token.`,
		Example: "  mesh whoami\n  mesh whoami --profile work -o json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runWhoami(cmd.Context(), a) },
	}
}

// runWhoami prints this node and the gateway.
func runWhoami(ctx context.Context, a *app.App) error {
	s, err := a.Settings()
	if err != nil {
		return err
	}
	f, from := a.Facts()
	id := identity{Profile: s.Profile, TokenSource: s.TokenSource(), factsAge: a.FactsAge(), PricesFrom: from}
	id.PricesAsOf = f.AsOf().Format(time.DateOnly)
	failed := identify(ctx, a, s, &id)
	return cmp.Or(a.PrintTable(id, []table.Column{table.Plain("WHAT", 0), table.Key("VALUE"), table.Free("FROM")}, id.rows()), failed)
}

// errNoSettings is the error of mesh whoami without a gateway.
var errNoSettings = exit.Usagef("the URL of the gateway is missing: set MESH_GATEWAY_URL, such as http://127.0.0.1:8787/gateway, MESH_NODE, the name of this node, " +
	"and MESH_GATEWAY_TOKEN, or name them in a profile (mesh help profiles). mesh gateway runs a gateway for development")

// identify requests the node from the gateway. It sets values only after they are checked, since an invalid one may be a secret.
func identify(ctx context.Context, a *app.App, s profile.Settings, id *identity) error {
	node := app.Observer
	if s.Node.Value != "" {
		var err error
		if node, err = a.ThisNode(); err != nil {
			return err
		}
		id.Node = s.Node
	}
	if s.Gateway.Value == "" {
		return errNoSettings
	}
	c, err := a.Connect(node)
	if err != nil {
		return err
	}
	defer c.Close()
	id.GatewayURL = s.Gateway
	a.Progress.Start()
	if err := id.query(ctx, c); err != nil {
		return err
	}
	if s.Node.Value == "" {
		id.Registered, id.Unread = nil, nil // they are those of the observer
		return app.ErrNoNode
	}
	return nil
}

// maxUnread bounds the unread messages that are counted: their contents may be long.
const maxUnread = 100

// query requests what the gateway knows of the node.
func (id *identity) query(ctx context.Context, c *client.MeshClient) error {
	var (
		unknown *client.NotInRegistryError
		denied  *client.MeshAuthError
		gateway *client.MeshGatewayError
	)
	_, err := c.GetPeer(ctx, c.Node())
	registered := err == nil
	if errors.As(err, &unknown) {
		err = nil
	}
	answers := err == nil || errors.As(err, &gateway) && gateway.StatusCode != 0 && !errors.Is(err, client.ErrNoSuchPath)
	id.Answers = &answers
	if accepted := err == nil; accepted || errors.As(err, &denied) {
		id.Accepted = &accepted
	}
	if err != nil {
		return err
	}
	id.Registered = &registered
	messages, err := c.Fetch(ctx, client.FetchOptions{UnreadOnly: true, Limit: maxUnread})
	invalid, err := mail.InvalidRows(err)
	if err != nil {
		return err
	}
	unread := len(messages) + len(invalid)
	id.Unread = &unread
	return nil
}

// rows returns the cells of the table.
func (id identity) rows() [][]string {
	token, unread := "none", output.Unknown
	if id.TokenSource != "" {
		token = "set"
	}
	if id.Unread != nil {
		unread = strconv.Itoa(*id.Unread)
		if *id.Unread == maxUnread {
			unread += " or more"
		}
	}
	return [][]string{
		{"profile", output.Text(&id.Profile), ""},
		{"node", output.Text(&id.Node.Value), id.Node.Source},
		{"gateway", output.Text(&id.GatewayURL.Value), id.GatewayURL.Source},
		{"token", token, id.TokenSource},
		{"gateway answers", yesNo(id.Answers), ""},
		{"token accepted", yesNo(id.Accepted), ""},
		{"registered", yesNo(id.Registered), ""},
		{"unread messages", unread, ""},
		{"prices as of", id.factsAge, id.PricesFrom},
	}
}

// yesNo returns "-" for nil.
func yesNo(value *bool) string {
	if value == nil {
		return output.Unknown
	}
	return output.YesNo(*value)
}

// NewHealth returns the command mesh health.
func NewHealth(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "health",
		Short:   "Print what the gateway reports about itself",
		Long:    "Health prints what the gateway reports about itself. It needs no token. The exit status is 3 if there is no response.",
		Example: "  mesh health\n  mesh health -o json",
		Args:    cobra.NoArgs,
		RunE: a.Observe(func(ctx context.Context) error {
			text, err := a.Client.Health(ctx)
			if err != nil {
				return err
			}
			return a.Print(map[string]any{"health": health(text)}, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, output.Lines(strings.TrimSpace(text)))
				return err
			})
		}),
	}
}

// health returns the JSON of a report, or a report in another format as a text.
func health(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

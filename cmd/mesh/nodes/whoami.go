package nodes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
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

// identity is printed by mesh whoami. A nil field is unknown.
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

// NewWhoami returns the mesh whoami command.
func NewWhoami(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "whoami",
		Short: "Show and check this node's settings",
		Long: `Whoami prints this node and its gateway, and the source of each value: a flag, --profile, a variable or the default profile. It
checks that the gateway answers and accepts the token, whether the node is registered, and the number of unread messages, up to 100.
It also prints the date of the prices, but never the token.

If a check fails, whoami still prints the other values. Then the exit status is 2 for a wrong or missing setting, and 3 for a gateway
that doesn't answer or refuses the token.`,
		Example: "  mesh whoami\n  mesh whoami --profile work -o json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runWhoami(cmd.Context(), a) },
	}
}

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

var errNoSettings = exit.Usagef("the gateway's URL is missing: set MESH_GATEWAY_URL, such as http://127.0.0.1:8787/gateway, MESH_NODE, this node's name, " +
	"and MESH_GATEWAY_TOKEN, or name them in a profile (mesh help profiles). mesh gateway runs a gateway for development")

// identify sets values only once they're checked: an invalid one may be a secret.
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
		id.Registered, id.Unread = nil, nil // they describe the observer
		return app.ErrNoNode
	}
	return nil
}

// maxUnread bounds the count: contents may be long.
const maxUnread = 100

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
		{"profile", output.Known(id.Profile), ""},
		{"node", output.Known(id.Node.Value), id.Node.Source},
		{"gateway", output.Known(id.GatewayURL.Value), id.GatewayURL.Source},
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

// NewHealth returns the mesh health command.
func NewHealth(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "health",
		Short:   "Show the gateway's health",
		Long:    "Health prints the gateway's answer. It needs no token. The exit status is 3 if the gateway doesn't answer.",
		Example: "  mesh health\n  mesh health -o json",
		Args:    cobra.NoArgs,
		RunE: a.Observe(func(ctx context.Context) error {
			text, err := a.Client.Health(ctx)
			if err != nil {
				return err
			}
			return a.Print(map[string]any{"health": health(text)}, output.Fixed(output.Lines(healthText(text))+"\n"))
		}),
	}
}

// healthText turns a JSON object into lines such as "database.status: ok". Any other
// text stays as it is.
func healthText(text string) string {
	var object map[string]any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&object) != nil || len(object) == 0 {
		return strings.TrimSpace(text)
	}
	var lines []string
	addLines(&lines, "", object)
	return strings.Join(lines, "\n")
}

func addLines(lines *[]string, prefix string, object map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		switch value := object[name].(type) {
		case map[string]any:
			addLines(lines, prefix+name+".", value)
		case string:
			*lines = append(*lines, prefix+name+": "+output.Line(value))
		case []any:
			compact, _ := json.Marshal(value) // it was decoded from JSON
			*lines = append(*lines, prefix+name+": "+string(compact))
		default:
			*lines = append(*lines, fmt.Sprintf("%s%s: %v", prefix, name, value))
		}
	}
}

// health returns JSON unchanged, and any other text as a string.
func health(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
	"github.com/mesh-gateway/mesh-go/scan"
)

// Observer is the node name for commands that need no inbox, such as mesh peers.
const Observer = "mesh-cli"

// Observe wraps run for cobra, with a client named [Observer].
func (a *App) Observe(run func(context.Context) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error { return a.with(cmd.Context(), Observer, args, run) }
}

// AsNode wraps run for cobra, with a client for [App.ThisNode].
func (a *App) AsNode(run func(context.Context) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		node, err := a.ThisNode()
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), node, args, run)
	}
}

// ErrNoNode is returned if --node and MESH_NODE are both unset.
var ErrNoNode = exit.Usagef("this node's name is missing: pass --node or set MESH_NODE")

// ThisNode returns this node's name, or [ErrNoNode] if it isn't set.
func (a *App) ThisNode() (string, error) {
	s, err := a.Settings()
	if err != nil {
		return "", err
	}
	node := s.Node.Value
	if node == "" {
		return "", ErrNoNode
	}
	if err := a.CheckName("the name of this node", node); err != nil { // before an error shows it
		return "", err
	}
	return node, client.ValidNodeName(node)
}

// CheckName returns an error if text contains a credential, since a variable may expand
// to one by mistake and the gateway shows names to all nodes. what describes text.
func (a *App) CheckName(what, text string) error {
	scanner, err := a.MessageScanner()
	return cmp.Or(err, mail.CheckName(scanner, what, text))
}

// CheckURL returns an error if text, the value for --url, contains a credential, or is
// neither empty nor an HTTP URL. The gateway wouldn't reject it.
func (a *App) CheckURL(text string) error {
	if err := a.CheckName("--url", text); err != nil {
		return err
	}
	u, err := url.Parse(text)
	if text != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return exit.Usagef("--url must be an http:// or https:// URL")
	}
	return nil
}

// ThreadNamed returns a thread's id; thread is an id or a name.
func (a *App) ThreadNamed(ctx context.Context, thread string) (string, error) {
	scanner, err := a.MessageScanner()
	if err != nil {
		return "", err
	}
	return mail.ThreadID(ctx, a.Client, scanner, thread)
}

// with sets Client and Args for run, and closes Client afterwards.
func (a *App) with(ctx context.Context, node string, args []string, run func(context.Context) error) (err error) {
	if a.Client, err = a.Connect(node); err != nil {
		return err
	}
	defer a.Client.Close()
	a.Args = args
	a.Progress.Start()
	return run(ctx)
}

// Connect returns a client for node. It retries failed requests; idempotency keys make
// that safe for messages.
func (a *App) Connect(node string) (*client.MeshClient, error) {
	s, err := a.Settings()
	if err != nil {
		return nil, err
	}
	if s.Gateway.Value == "" {
		return nil, exit.Usagef("the gateway's URL is missing: pass --gateway-url or set MESH_GATEWAY_URL")
	}
	token, err := a.Token()
	if err = cmp.Or(err, exit.WrongUse(s.CheckToken())); err != nil {
		return nil, err
	}
	opts := []client.Option{
		client.WithGatewayURL(s.Gateway.Value), client.WithToken(token), client.WithRetry(client.RetryPolicy{}), client.WithLogger(a.logger()),
	}
	switch a.Rules {
	case BasicRules:
	case "", extendedRules:
		opts = append(opts, client.WithScanner(scan.New(scan.WithExtendedRules(), scan.WithoutHeuristics())))
	default:
		return nil, exit.Usagef("--rules %q must be %s or %s", a.Rules, extendedRules, BasicRules)
	}
	return client.New(node, opts...)
}

// lookupTime limits optional look-ups.
const lookupTime = 3 * time.Second

// WarnUnregistered warns if this node isn't registered. consequence follows "is not
// registered and".
func (a *App) WarnUnregistered(ctx context.Context, consequence string) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	node := a.Client.Node()
	_, err := a.Client.GetPeer(ctx, node)
	if unknown := (*client.NotInRegistryError)(nil); errors.As(err, &unknown) {
		a.Warn(fmt.Errorf("%s is not registered and %s; mesh register --node %[1]s", node, consequence))
	}
}

// ReadSettings returns the settings from a.Flags. If they are invalid, the error is wrong
// use.
func (a *App) ReadSettings() (profile.Settings, error) {
	s, err := profile.Read(a.Flags)
	return s, exit.WrongUse(err)
}

// ReadToken returns the gateway token; "" if it is unset.
func (a *App) ReadToken() (string, error) {
	s, err := a.Settings()
	if err != nil {
		return "", err
	}
	token, err := s.Token()
	a.WarnReadable(s.TokenFile, err)
	return token, exit.WrongUse(err)
}

// WarnReadable warns if other users can read a token file, unless err says it was
// unreadable.
func (a *App) WarnReadable(file profile.Setting, err error) {
	if err == nil && file.ReadableByOthers() {
		a.Warn(fmt.Errorf("%[2]s: other users can read %[1]s; chmod 600 %[1]s", file.Value, file.Source))
	}
}

func (a *App) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(a.Errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// Scanner returns a scanner that recognizes the gateway token.
func (a *App) Scanner(opts ...scan.Option) (*scan.Scanner, error) {
	token, err := a.Token()
	return scan.New(append(opts, scan.WithLiveToken(token), scan.WithLiveToken(os.Getenv(profile.TokenVariable)))...), err
}

// MessageScanner is [App.Scanner] with the rules for messages and names.
func (a *App) MessageScanner() (*scan.Scanner, error) {
	if a.Rules == BasicRules {
		return a.Scanner()
	}
	return a.Scanner(scan.WithExtendedRules())
}

// Values for --rules. Package client always applies the basic ones.
const (
	BasicRules    = "basic"
	extendedRules = "extended"
)

// RulesFlag adds --rules, for commands that send messages.
func (a *App) RulesFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.Rules, "rules", extendedRules, "credential scan `RULES`: extended or basic")
	Complete(cmd, "rules", cobra.FixedCompletions([]string{extendedRules, BasicRules}, cobra.ShellCompDirectiveNoFileComp))
}

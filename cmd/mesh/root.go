package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/ask"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/balance"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/cost"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/demo"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/gateway"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/fakeproviders"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/mcp"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/messages"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/meter"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/models"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/nodes"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/prices"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/providers"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/retired"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/scan"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/serve"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/update"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/usage"
	"github.com/mesh-gateway/mesh-go/internal/editdistance"
	"github.com/mesh-gateway/mesh-go/internal/version"
)

func completeProfile(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	all, err := profile.OfUser()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return all.Names(), cobra.ShellCompDirectiveNoFileComp
}

// flagError says which values a flag accepts, or suggests another flag. pflag would
// print the strconv error.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedName() == "output" {
		return exit.Usagef("%w; use -o", err)
	}
	if unknown != nil {
		if name := similarFlag(cmd, unknown.GetSpecifiedName()); name != "" {
			return exit.Usagef("%w; did you mean --%s?", err, name)
		}
	}
	if !errors.As(err, &invalid) {
		return exit.WrongUse(err)
	}
	form := map[string]string{
		"bool": "true or false", "float64": "a number", "duration": "a duration such as 30s", "intSlice": "comma-separated numbers",
	}[invalid.GetFlag().Value.Type()]
	return exit.Usagef("--%s %q must be %s", invalid.GetFlag().Name, invalid.GetValue(), cmp.Or(form, "a whole number"))
}

func run(ctx context.Context, a *app.App, args []string) int {
	if output.Terminal(a.Errs) {
		a.Progress.W = a.Errs
	}
	a.Settings = sync.OnceValues(a.ReadSettings)
	a.Token = sync.OnceValues(a.ReadToken)
	root := newRoot(a)
	root.SetArgs(app.ProtectText(root, args))
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Errs)
	checkShell(root)
	cmd, err := root.ExecuteContextC(ctx)
	a.Progress.Stop()
	code := exit.Code(err)
	var status exit.StatusError // the command has already printed its error
	if err == nil || errors.As(err, &status) {
		return code
	}
	fmt.Fprintln(a.Errs, "mesh:", strings.ReplaceAll(exit.Lines(suggest(err)), "\n", "\nmesh: "))
	if code == exit.Usage && !exit.OfFile(err) {
		fmt.Fprintf(a.Errs, "mesh: see %s --help\n", cmd.CommandPath())
	}
	return code
}

// suggest puts cobra's paragraph of similar commands on the error's line.
func suggest(err error) error {
	text, names, found := strings.Cut(err.Error(), "\n\nDid you mean this?\n")
	if !found {
		return err
	}
	return errors.New(text + "; did you mean " + output.Alternatives(strings.Fields(names)) + "?")
}

func newRoot(a *app.App) *cobra.Command {
	root := &cobra.Command{
		Use:           "mesh",
		Short:         "Connect LLM agents, and see what their calls cost",
		Version:       version.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(a.UseFakeProviders(os.Getenv(fakeproviders.URLVariable)), checkEmpty(cmd)); err != nil {
				return err
			}
			if a.Flags.Profile != "" { // report a mistyped name even if the command ignores profiles
				if _, err := a.Settings(); err != nil {
					return err
				}
			}
			return checkFormat(cmd, a.Format)
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.Flags.Node, "node", "", "name of this node (default $MESH_NODE)")
	flags.StringVar(&a.Flags.GatewayURL, "gateway-url", "", "base URL of the gateway (default $MESH_GATEWAY_URL)")
	flags.StringVar(&a.Flags.TokenFile, "token-file", "", "`FILE` with the gateway token (default $MESH_TOKEN_FILE)")
	flags.StringVar(&a.Flags.Profile, "profile", "", "`NAME` of a profile in profiles.json (mesh help profiles)")
	// not --output: that's a token count in mesh price
	flags.StringVarP(&a.Format, "format", "o", "text", "output `FORMAT`: text, json and others")
	flags.BoolVar(&a.Wide, "wide", false, "on a terminal, show all table columns in full")
	app.Complete(root, "profile", completeProfile)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(printHelp)
	root.SetHelpCommandGroupID(helpGroup)
	root.SetCompletionCommandGroupID(helpGroup)
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			cmd := c.create(a)
			cmd.GroupID, cmd.Args = g.title, args(cmd.Args)
			root.AddCommand(cmd)
			showGlobals(root, cmd, strings.Fields(c.globals))
		}
	}
	root.AddCommand(topics()...)
	checkTopic(root)
	return root
}

type subcommand struct {
	create  func(*app.App) *cobra.Command
	globals string // global flags that the command uses
}

const (
	gatewayFlags = "gateway-url token-file profile"
	nodeFlags    = "node " + gatewayFlags
)

const helpGroup = "Help:"

var groups = []struct {
	title    string
	commands []subcommand
}{
	{"Messages:", []subcommand{
		{ask.New, nodeFlags + " format"},
		{messages.NewSend, nodeFlags + " format"}, {messages.NewReply, nodeFlags + " format"},
		{messages.NewInbox, nodeFlags + " format wide"}, {messages.NewRead, nodeFlags + " format"},
		{messages.NewSent, nodeFlags + " format wide"}, {messages.NewPending, nodeFlags + " format wide"},
		{messages.NewThreads, gatewayFlags + " format wide"},
		{serve.New, nodeFlags},
	}},
	{"Nodes and the gateway:", []subcommand{
		{nodes.NewRegister, nodeFlags + " format"},
		{nodes.NewPeers, gatewayFlags + " format wide"}, {nodes.NewPeer, gatewayFlags + " format wide"},
		{nodes.NewHealth, gatewayFlags + " format"}, {nodes.NewWhoami, nodeFlags + " format wide"},
		{gateway.New, "token-file format"},
	}},
	{"Models and costs:", []subcommand{
		{models.New, "format wide"}, {retired.New, "format wide"}, {prices.NewPrice, "format wide"}, {prices.New, "format wide"}, {update.New, "format wide"},
		{meter.New, "format"}, {usage.New, "format wide"}, {cost.New, "format wide"}, {balance.New, "format wide"},
	}},
	{"Credentials and agents:", []subcommand{{scan.New, "token-file format"}, {mcp.New, nodeFlags}}},
	{"To try it without a key:", []subcommand{{demo.New, "format"}, {providers.New, "format"}}},
	{helpGroup, []subcommand{{newVersion, "format"}}},
}

// showGlobals hides unused global flags. They stay valid: a shell alias for mesh may
// set them.
func showGlobals(root, cmd *cobra.Command, used []string) {
	root.PersistentFlags().VisitAll(func(global *pflag.Flag) {
		f := *global // a copy that this command can change
		switch f.Hidden = !slices.Contains(used, f.Name); {
		case f.Hidden:
			cmd.Flags().AddFlag(&f)
		case f.Name == "format":
			f.Usage = "output `FORMAT`: " + output.Alternatives(formats(cmd))
			cmd.Flags().AddFlag(&f)
			app.Complete(cmd, f.Name, cobra.FixedCompletions(formats(cmd), cobra.ShellCompDirectiveNoFileComp))
		}
	})
}

// args replaces the error from a cobra argument check with the usage line. Our own
// errors stay.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		err := check(cmd, given)
		if own := (*exit.Error)(nil); err == nil || errors.As(err, &own) {
			return err
		}
		return exit.Usagef("%s given; usage: %s", output.Plural(len(given), "argument"), cmd.UseLine())
	}
}

// checkTopic lets mesh help UNKNOWN fail. In cobra it prints an error and succeeds.
func checkTopic(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Example = "  mesh help usage\n  mesh help exit-status"
	showGlobals(root, help, nil)
	help.Args = func(_ *cobra.Command, topic []string) error {
		cmd, rest, err := root.Find(topic)
		if err == nil && len(rest) > 0 {
			return exit.Usagef("unknown command %q for %q", rest[0], cmd.CommandPath())
		}
		return err
	}
}

// checkShell lets mesh completion UNKNOWN fail. In cobra, a command without RunE prints
// its help and succeeds. Call it after root.SetOut: cobra's command keeps that writer.
func checkShell(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"})
	completion.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	for _, cmd := range append(completion.Commands(), completion) {
		cmd.Example = "  mesh completion bash > ~/.mesh-completion.bash\n  mesh completion zsh --no-descriptions"
		if cmd != completion {
			cmd.Example = strings.ReplaceAll("  PATH > ~/.mesh-completion\n  PATH --no-descriptions", "PATH", cmd.CommandPath())
		}
		showGlobals(root, cmd, nil)
	}
}

// checkEmpty refuses empty flag values: --budget "$BUDGET" with an unset variable must
// not run without a budget.
func checkEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.String() == "" {
			err = exit.Usagef("--%s must not be empty", f.Name)
		}
	})
	return err
}

// moreFormats lists --format values other than text and json. CSV needs the same columns
// in every row, as in cost, prices and usage.
var moreFormats = map[string][]string{
	"prices": {"csv"}, "usage": {"csv", "focus"}, "cost": {"csv", "focus"}, "retired": {"github"}, "scan": {"github"},
}

func formats(cmd *cobra.Command) []string {
	name := cmd.Name()
	if name == "serve" || name == "mcp" {
		return nil // stdout belongs to another program or to a protocol
	}
	return append([]string{"text", "json"}, moreFormats[name]...)
}

func checkFormat(cmd *cobra.Command, format string) error {
	accepted := formats(cmd)
	switch {
	case slices.Contains(accepted, format) || accepted == nil && format == "text":
		return nil
	case accepted == nil:
		return exit.Usagef("%s does not support -o", cmd.CommandPath())
	}
	return exit.Usagef("-o %q must be %s for %s", format, output.Alternatives(accepted), cmd.CommandPath())
}

func similarFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) }) // includes global flags
	return editdistance.Nearest(name, names)
}

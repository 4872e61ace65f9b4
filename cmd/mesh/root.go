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
	"github.com/mesh-gateway/mesh-go/cmd/mesh/usage"
	"github.com/mesh-gateway/mesh-go/internal/version"
)

// completeProfile completes the name of a profile.
func completeProfile(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	all, err := profile.OfUser()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return all.Names(), cobra.ShellCompDirectiveNoFileComp
}

// flagError returns the error of a flag. Package pflag shows the errors of package strconv.
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
		"bool": "true or false", "float64": "a number", "duration": "a duration such as 30s", "intSlice": "a number, or numbers with commas",
	}[invalid.GetFlag().Value.Type()]
	return exit.Usagef("--%s %q must be %s", invalid.GetFlag().Name, invalid.GetValue(), cmp.Or(form, "a whole number"))
}

// run executes a command line and returns the exit status.
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
	var status exit.StatusError // the command has printed its error itself
	if err == nil || errors.As(err, &status) {
		return code
	}
	fmt.Fprintln(a.Errs, "mesh:", exit.Lines(err))
	if code == exit.Usage {
		fmt.Fprintf(a.Errs, "mesh: see %s --help\n", cmd.CommandPath())
	}
	return code
}

func newRoot(a *app.App) *cobra.Command {
	root := &cobra.Command{
		Use:           "mesh",
		Short:         "Messages, models, prices and bills of a mesh of language-model agents",
		Version:       version.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(a.UseFakeProviders(os.Getenv(fakeproviders.URLVariable)), checkEmpty(cmd)); err != nil {
				return err
			}
			if a.Flags.Profile != "" { // a mistyped name is an error also where the profile has no effect
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
	flags.StringVar(&a.Flags.TokenFile, "token-file", "", "file with the gateway token (default $MESH_TOKEN_FILE, else the token in $MESH_GATEWAY_TOKEN)")
	flags.StringVar(&a.Flags.Profile, "profile", "", "profile of the file profiles.json (mesh help profiles)")
	// Not --output, which is a number of tokens for mesh price.
	flags.StringVarP(&a.Format, "format", "o", "text", "format of the output: text or json, and others of some commands")
	flags.BoolVar(&a.Wide, "wide", false, "on a terminal, show all columns of a table and do not cut or wrap them")
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

// subcommand is a subcommand and the global flags that it uses.
type subcommand struct {
	create  func(*app.App) *cobra.Command
	globals string
}

// The global flags of commands that need the gateway, and of those that also need the name of this node.
const (
	ofGateway = "gateway-url token-file profile"
	ofNode    = "node " + ofGateway
)

// helpGroup is the group of the commands about mesh itself.
const helpGroup = "Help:"

// groups are the commands by what they are for.
var groups = []struct {
	title    string
	commands []subcommand
}{
	{"Messages:", []subcommand{
		{ask.New, ofNode + " format"}, {messages.NewSend, ofNode + " format"}, {messages.NewReply, ofNode + " format"}, {messages.NewInbox, ofNode + " format wide"}, {messages.NewRead, ofNode + " format"},
		{messages.NewSent, ofNode + " format wide"}, {messages.NewPending, ofNode + " format wide"}, {messages.NewThreads, ofGateway + " format wide"}, {serve.New, ofNode},
	}},
	{"Nodes and the gateway:", []subcommand{
		{nodes.NewRegister, ofNode + " format"}, {nodes.NewPeers, ofGateway + " format wide"}, {nodes.NewPeer, ofGateway + " format wide"}, {nodes.NewHealth, ofGateway + " format"},
		{nodes.NewWhoami, ofNode + " format wide"}, {gateway.New, "token-file format"},
	}},
	{"Models and costs:", []subcommand{
		{models.New, "format wide"}, {retired.New, "format wide"}, {prices.NewPrice, "format wide"}, {prices.New, "format wide"},
		{meter.New, "format"}, {usage.New, "format wide"}, {cost.New, "format wide"}, {balance.New, "format wide"},
	}},
	{"Credentials and agents:", []subcommand{{scan.New, "token-file format"}, {mcp.New, ofNode}}},
	{"To try it without a key:", []subcommand{{demo.New, "format"}, {providers.New, "format"}}},
	{helpGroup, []subcommand{{newVersion, "format"}}},
}

// showGlobals hides the global flags that a command does not use. They remain valid: an alias of mesh may have them.
func showGlobals(root, cmd *cobra.Command, used []string) {
	root.PersistentFlags().VisitAll(func(global *pflag.Flag) {
		f := *global // of this command alone
		switch f.Hidden = !slices.Contains(used, f.Name); {
		case f.Hidden:
			cmd.Flags().AddFlag(&f)
		case f.Name == "format":
			f.Usage = "format of the output: " + output.Alternatives(formats(cmd))
			cmd.Flags().AddFlag(&f)
			app.Complete(cmd, f.Name, cobra.FixedCompletions(formats(cmd), cobra.ShellCompDirectiveNoFileComp))
		}
	})
}

// args wraps an argument check of cobra so that its error is the usage of the command. An error of a command's own check stays.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		err := check(cmd, given)
		if own := (*exit.Error)(nil); err == nil || errors.As(err, &own) {
			return err
		}
		return exit.Usagef("%s given; usage: %s", output.Plural(len(given), "argument"), cmd.UseLine())
	}
}

// checkTopic makes mesh help of an unknown command wrong use. The help of cobra prints an error and succeeds.
func checkTopic(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"}) // which cobra has added
	help.Example = "  mesh help usage\n  mesh help exit-codes"
	showGlobals(root, help, nil)
	help.Args = func(_ *cobra.Command, topic []string) error {
		cmd, rest, err := root.Find(topic)
		if err == nil && len(rest) > 0 {
			return exit.Usagef("unknown command %q for %q", rest[0], cmd.CommandPath())
		}
		return err
	}
}

// checkShell makes mesh completion of an unknown shell wrong use: a command of cobra without a function prints its help and
// succeeds. It keeps the output of root, which must be set before.
func checkShell(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"}) // which cobra has added
	completion.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	for _, cmd := range append(completion.Commands(), completion) {
		cmd.Example = "  mesh completion bash > ~/.mesh-completion.bash\n  mesh completion zsh --no-descriptions"
		if cmd != completion {
			cmd.Example = strings.ReplaceAll("  PATH > ~/.mesh-completion\n  PATH --no-descriptions", "PATH", cmd.CommandPath())
		}
		showGlobals(root, cmd, nil)
	}
}

// checkEmpty returns an error for a flag whose value is empty, such as --budget "$BUDGET" with an unset variable: it must not be
// taken for a flag that is not given.
func checkEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.String() == "" {
			err = exit.Usagef("--%s must not be empty", f.Name)
		}
	})
	return err
}

// moreFormats are the values of --format beside text and json. Only mesh prices and mesh usage have a table that is the same in every row,
// which CSV needs.
var moreFormats = map[string][]string{
	"prices": {"csv"}, "usage": {"csv", "focus"}, "cost": {"focus"}, "retired": {"github"}, "scan": {"github"},
}

// formats returns the values of --format. The output of mesh serve is of another program, and of mesh mcp a protocol.
func formats(cmd *cobra.Command) []string {
	name := cmd.Name()
	if name == "serve" || name == "mcp" {
		return nil
	}
	return append([]string{"text", "json"}, moreFormats[name]...)
}

func checkFormat(cmd *cobra.Command, format string) error {
	accepted := formats(cmd)
	switch {
	case slices.Contains(accepted, format) || accepted == nil && format == "text":
		return nil
	case accepted == nil:
		return exit.Usagef("%s has no -o", cmd.CommandPath())
	}
	return exit.Usagef("-o %q must be %s for %s", format, output.Alternatives(accepted), cmd.CommandPath())
}

// similarFlag returns the flag of a command whose name is most like one that is unknown; "" if there is none.
func similarFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) }) // also the global ones
	return app.Similar(name, names)
}

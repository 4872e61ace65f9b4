package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/fakeproviders"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/version"
)

// app is one run of the command.
type app struct {
	in        io.Reader
	out, errs io.Writer
	providers []discovery.Option
	progress  output.Progress
	// wrongProviders is the error of a MESH_PROVIDERS_URL that is wrong.
	wrongProviders error

	flags  profile.Flags
	format string
	wide   bool
	// priceFiles are those of --prices.
	priceFiles []string
	settings   func() (profile.Settings, error)
	token      func() (string, error) // reads the file once: it may be a pipe
}

// run executes a command line and returns the exit status.
func run(ctx context.Context, a *app, args []string) int {
	if output.Terminal(a.errs) {
		a.progress.W = a.errs
	}
	a.wrongProviders = a.useFakeProviders(os.Getenv(fakeproviders.URLVariable))
	a.settings = sync.OnceValues(a.readSettings)
	a.token = sync.OnceValues(a.readToken)
	root := newRoot(a)
	root.SetArgs(protectText(root, args))
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.errs)
	checkShell(root)
	cmd, err := root.ExecuteContextC(ctx)
	a.progress.Stop()
	code := exitCode(err)
	var status statusError // the command has printed its error itself
	if err != nil && !errors.Is(err, errFound) && !errors.As(err, &status) {
		fmt.Fprintln(a.errs, "mesh:", output.Lines(explain(err)))
	}
	if code == exitUsage && !errors.As(err, &status) {
		fmt.Fprintf(a.errs, "mesh: see %s --help\n", cmd.CommandPath())
	}
	return code
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "mesh",
		Short:         "Messages, models, prices and bills of a mesh of language-model agents",
		Version:       version.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(a.wrongProviders, checkEmpty(cmd)); err != nil {
				return err
			}
			if a.flags.Profile != "" { // a mistyped name is an error also where the profile has no effect
				if _, err := a.settings(); err != nil {
					return err
				}
			}
			return checkFormat(cmd, a.format)
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.flags.Node, "node", "", "name of this node (default $MESH_NODE)")
	flags.StringVar(&a.flags.GatewayURL, "gateway-url", "", "base URL of the gateway (default $MESH_GATEWAY_URL)")
	flags.StringVar(&a.flags.TokenFile, "token-file", "", "file with the gateway token (default $MESH_TOKEN_FILE, else the token in $MESH_GATEWAY_TOKEN)")
	flags.StringVar(&a.flags.Profile, "profile", "", "profile of the file profiles.json (mesh help profiles)")
	// Not --output, which is a number of tokens for mesh price.
	flags.StringVarP(&a.format, "format", "o", "text", "format of the output: text or json, csv for mesh prices and mesh usage, focus for mesh usage and mesh cost, github for mesh retired --scan and mesh scan")
	flags.BoolVar(&a.wide, "wide", false, "on a terminal, show all columns of a table and do not cut or wrap them")
	complete(root, "profile", completeProfile)
	complete(root, "format", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	root.SetFlagErrorFunc(flagError)
	addGroup(root, a, "Messages:", newAsk, newSend, newReply, newInbox, newRead, newSent, newPending, newThreads, newServe)
	addGroup(root, a, "Nodes and the gateway:", newRegister, newPeers, newPeer, newHealth, newWhoami, newGateway)
	addGroup(root, a, "Models and costs:", newModels, newRetired, newPrice, newPrices, newMeter, newUsage, newCost, newBalance)
	addGroup(root, a, "Credentials and agents:", newScan, newMCP)
	addGroup(root, a, "To try it without a key:", newDemo, newFakeProviders)
	root.AddCommand(newVersion(a), newEnvironment(), newProfiles(), newExitCodes())
	checkTopic(root)
	return root
}

// addGroup adds subcommands under a title of the help text.
func addGroup(root *cobra.Command, a *app, title string, commands ...func(*app) *cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, command := range commands {
		cmd := command(a)
		cmd.GroupID = title
		root.AddCommand(cmd)
	}
}

// checkTopic makes mesh help of an unknown command wrong use. The help of cobra prints an error and succeeds.
func checkTopic(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		panic(err) // cobra has no help command
	}
	help.Args = func(_ *cobra.Command, topic []string) error {
		cmd, rest, err := root.Find(topic)
		if err == nil && len(rest) > 0 {
			return usagef("unknown command %q for %q", rest[0], cmd.CommandPath())
		}
		return err
	}
}

// checkShell makes mesh completion of an unknown shell wrong use: a command of cobra without a function prints its help and
// succeeds. It keeps the output of root, which must be set before.
func checkShell(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic(err) // cobra has no completion command
	}
	completion.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// checkEmpty returns an error for a flag whose value is empty, such as --budget "$BUDGET" with an unset variable: it must not be
// taken for a flag that is not given.
func checkEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.String() == "" {
			err = usagef("--%s must not be empty", f.Name)
		}
	})
	return err
}

// exclude makes a flag exclude others. It sets PreRunE, so a command can have only one such flag.
func exclude(cmd *cobra.Command, flag string, others ...string) {
	for _, other := range others {
		cmd.MarkFlagsMutuallyExclusive(flag, other) // for the completion; its error has other words
	}
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		for _, other := range others {
			if cmd.Flags().Changed(flag) && cmd.Flags().Changed(other) {
				return usagef("--%s and --%s exclude each other", flag, other)
			}
		}
		return nil
	}
}

// checkFormat checks --format. Only mesh prices and mesh usage have a table that is the same in every row, which CSV needs. The output
// of mesh serve is of another program, and of mesh mcp a protocol.
func checkFormat(cmd *cobra.Command, format string) error {
	if format != "text" && slices.Contains([]string{"serve", "mcp"}, cmd.Name()) {
		return usagef("%s has no -o", cmd.CommandPath())
	}
	accepted := []string{"text", "json"}
	if cmd.Name() == "prices" || cmd.Name() == "usage" {
		accepted = append(accepted, "csv")
	}
	if cmd.Name() == "usage" || cmd.Name() == "cost" {
		accepted = append(accepted, "focus")
	}
	if cmd.Name() == "retired" || cmd.Name() == "scan" {
		accepted = append(accepted, "github")
	}
	if slices.Contains(accepted, format) {
		return nil
	}
	last := len(accepted) - 1
	return usagef("-o %q must be %s or %s for %s", format, strings.Join(accepted[:last], ", "), accepted[last], cmd.CommandPath())
}

// print writes value as JSON with -o json, and calls text otherwise.
func (a *app) print(value any, text func(io.Writer) error) error { return a.printAs(value, "  ", text) }

// printLine is [app.print] for a sequence without an end: in JSON each value is one line.
func (a *app) printLine(value any, text func(io.Writer) error) error {
	return a.printAs(value, "", text)
}

func (a *app) printAs(value any, indent string, text func(io.Writer) error) error {
	a.progress.Stop()
	if a.format == "json" {
		return output.JSON(a.out, value, indent)
	}
	if a.wide {
		return text(output.Wide{Writer: a.out})
	}
	return text(a.out)
}

// note prints what the command does on stderr.
func (a *app) note(line string) {
	a.progress.Stop()
	fmt.Fprintln(a.errs, "mesh:", line)
}

// warn prints what does not end the command.
func (a *app) warn(err error) {
	a.progress.Stop()
	fmt.Fprintln(a.errs, "mesh: warning:", output.Lines(explain(err)))
}

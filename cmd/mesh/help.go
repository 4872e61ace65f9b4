package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

// helpWidth is the width of a help text that is not for a terminal.
const helpWidth = 80

// printHelp prints the help of a command, which fits into the terminal.
func printHelp(cmd *cobra.Command, _ []string) {
	width := cmp.Or(output.Width(cmd.OutOrStdout()), helpWidth)
	_, _ = io.WriteString(cmd.OutOrStdout(), helpText(cmd, width)) // as for any help, an output that is closed is no error
}

// helpText returns the help of a command: the flags and examples before the explanation.
func helpText(cmd *cobra.Command, width int) string {
	var b strings.Builder
	section := func(title, text string) {
		if strings.TrimSpace(text) != "" {
			b.WriteString("\n" + title + strings.TrimRight(text, "\n") + "\n")
		}
	}
	b.WriteString(wrap(cmd.Short, "", 0, width))
	if !cmd.IsAdditionalHelpTopicCommand() {
		section("Usage:\n", wrap(usageLine(cmd), "  ", 6, width))
		section("Examples:\n", cmd.Example)
		for _, group := range cmd.Groups() {
			section(group.Title+"\n", commandList(cmd, width, func(sub *cobra.Command) bool { return sub.GroupID == group.ID }))
		}
		section("Available Commands:\n", commandList(cmd, width, func(sub *cobra.Command) bool { return sub.GroupID == "" && sub.IsAvailableCommand() }))
		section("Additional help topics:\n", commandList(cmd, width, (*cobra.Command).IsAdditionalHelpTopicCommand))
		own, global := flagsOf(cmd)
		section("Flags:\n", own.FlagUsagesWrapped(width))
		section("Global Flags:\n", global.FlagUsagesWrapped(width))
	}
	section("", prose(cmd.Long, width))
	if cmd.HasAvailableSubCommands() {
		section("", wrap(cmd.CommandPath()+" COMMAND --help has the flags and examples of a command.", "", 0, width))
	}
	return b.String()
}

func usageLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " COMMAND [flags]"
	}
	return cmd.UseLine()
}

// commandList returns a line or more for each subcommand that show accepts.
func commandList(cmd *cobra.Command, width int, show func(*cobra.Command) bool) string {
	var b strings.Builder
	for _, sub := range cmd.Commands() {
		if show(sub) {
			name := fmt.Sprintf("  %-*s", sub.NamePadding()+2, sub.Name())
			b.WriteString(wrap(sub.Short, name, len(name), width))
		}
	}
	return b.String()
}

// flagsOf returns the flags of a command and the global ones that it uses.
func flagsOf(cmd *cobra.Command) (own, global *pflag.FlagSet) {
	own, global = new(pflag.FlagSet), new(pflag.FlagSet)
	cmd.InheritedFlags() // adds the global flags to those of the command
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if cmd.HasParent() && cmd.Root().PersistentFlags().Lookup(f.Name) != nil {
			global.AddFlag(f)
		} else {
			own.AddFlag(f)
		}
	})
	return own, global
}

// indented is the beginning of a line that is no paragraph: its blanks, and the name of an entry of a list, which two blanks end.
var indented = regexp.MustCompile(`^ +(\S+( \S+)* {2,})?`)

// prose returns paragraphs in lines of at most width columns. A line that begins with blanks stays a line.
func prose(text string, width int) string {
	var b, paragraph strings.Builder
	end := func() {
		if paragraph.Len() > 0 {
			b.WriteString(wrap(paragraph.String(), "", 0, width))
			paragraph.Reset()
		}
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\t", "    "), "\n") {
		if line != "" && line[0] != ' ' {
			paragraph.WriteString(line + "\n")
			continue
		}
		end()
		first := indented.FindString(line)
		b.WriteString(wrap(line[len(first):], first, len(first), width))
	}
	end()
	return b.String()
}

// wrap returns words in lines of at most width columns, the first behind a text and each other one behind indent blanks.
func wrap(words, first string, indent, width int) string {
	var b strings.Builder
	line, gap := first, ""
	for word := range strings.FieldsSeq(words) {
		if gap != "" && table.Width(line+gap+word) > width {
			b.WriteString(line + "\n")
			line, gap = strings.Repeat(" ", indent), ""
		}
		line, gap = line+gap+word, " "
	}
	return b.String() + line + "\n"
}

func newVersion(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  mesh version\n  mesh version -o json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			version := cmd.Root().Version
			return a.Print(map[string]string{"version": version}, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, "mesh version", version)
				return err
			})
		},
	}
}

// topics returns the help topics: commands that do nothing.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{
			Use:   "environment",
			Short: "The variables that the command reads",
			Long: `The command reads these variables. Flags and the profile of --profile take precedence.

  MESH_NODE             name of this node (--node)
  MESH_GATEWAY_URL      base URL of the gateway (--gateway-url)
  MESH_GATEWAY_TOKEN    token of the gateway; --token-file reads it from a file instead
  MESH_TOKEN_FILE       absolute path of a file with the token, used in place of MESH_GATEWAY_TOKEN
  MESH_CATALOG_URL      address of the catalog of models
  MESH_PROVIDERS_URL    address of the fake providers of mesh providers, which must be on this machine
  MESH_PRICES           files with prices of your own, separated as in PATH (--prices, which is used in their place)
  NO_COLOR              if set, headers are not bold
  TERM                  dumb turns off bold headers and the line that shows progress
  XDG_CONFIG_HOME       folder that has mesh/profiles.json (on Linux)
  XDG_CACHE_HOME        folder that keeps the catalog for a day (on Linux)
  XDG_DATA_HOME         folder that keeps the table of mesh prices --update

Keys of providers:

  models and balances   OPENAI_API_KEY DEEPSEEK_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY XAI_API_KEY
  prices of Google      GOOGLE_CLOUD_BILLING_API_KEY or GOOGLE_CLOUD_API_KEY
  bills (mesh cost)     OPENAI_ADMIN_KEY ANTHROPIC_ADMIN_KEY, XAI_MANAGEMENT_KEY and XAI_TEAM_ID

DEEPSEEK_LEGACY_ENV_PATH is a file with DEEPSEEK_API_KEY, which mesh balance reads if the variable is not set.

mesh meter reads OPENAI_BASE_URL, ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL, and sets them for its command. HTTPS_PROXY and NO_PROXY
select the proxy of its own requests. The command gets another HTTPS_PROXY, NODE_OPTIONS and NODE_USE_ENV_PROXY, and with --intercept the
variables of roots, such as SSL_CERT_FILE and NODE_EXTRA_CA_CERTS.

A command of mesh serve also receives MESH_MESSAGE_ID, MESH_FROM, MESH_KIND, MESH_THREAD_ID and MESH_THREAD, the name of a named thread.`,
		},
		{
			Use:   "profiles",
			Short: "Named settings in a file",
			Long: `The file mesh/profiles.json in the user's configuration folder (~/.config on Linux, ~/Library/Application Support on macOS,
%AppData% on Windows) has named settings:

  {"default": "home", "profiles": {
    "home": {"gateway_url": "http://127.0.0.1:8787/gateway"},
    "work": {"node": "node-a", "token_file": "~/.mesh-token",
      "gateway_url": "https://mesh.example.com/gateway"}}}

A value comes from its flag, else from the profile of --profile, else from the environment, else from the default profile. mesh whoami
shows where each one comes from. A relative token_file is in the folder of the profiles.

A token goes only to its own gateway. The gateway of a profile gets the token of token_file or --token-file, never
MESH_GATEWAY_TOKEN, and the token of a profile goes to no other gateway, such as one of --gateway-url. The file contains no token.`,
		},
		{
			Use:   "exit-codes",
			Short: "What the exit statuses mean",
			Long: `The exit status is

  0  success; also for an interrupted gateway, serve, mcp and inbox --watch
  1  something was found: a credential, a retired or soon retiring model, an old price, unpriced calls, a rule of mesh usage --fail-on, or a drift that is too large or unknown; or an answer to mesh ask is missing
  2  the command was used incorrectly: a flag, an argument, a name that does not exist, a key that is not set, or a file that cannot be read or written
  3  the gateway, a provider, the output or a session of mcp failed; serve was killed; or the price of a model or call of mesh price is not known
  4  refused: the message contains a credential, or the node is not registered

and in a shell 130 for a command that ^C ended and that is not among those of 0.`,
		},
	}
}

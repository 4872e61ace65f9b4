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

// helpWidth applies if stdout is not a terminal.
const helpWidth = 80

func printHelp(cmd *cobra.Command, _ []string) {
	width := cmp.Or(output.Width(cmd.OutOrStdout()), helpWidth)
	_, _ = io.WriteString(cmd.OutOrStdout(), helpText(cmd, width)) // mesh help | head -1 is fine
}

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
		own, global := splitFlags(cmd)
		section("Flags:\n", own.FlagUsagesWrapped(width))
		section("Global Flags:\n", global.FlagUsagesWrapped(width))
	}
	section("", prose(cmd.Long, width))
	if cmd.HasAvailableSubCommands() {
		section("", wrap("For flags and examples, run "+cmd.CommandPath()+" COMMAND --help.", "", 0, width))
	}
	return b.String()
}

func usageLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " COMMAND [flags]"
	}
	return cmd.UseLine()
}

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

func splitFlags(cmd *cobra.Command) (own, global *pflag.FlagSet) {
	own, global = new(pflag.FlagSet), new(pflag.FlagSet)
	cmd.InheritedFlags() // has the side effect of adding global flags to cmd.Flags()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if cmd.HasParent() && cmd.Root().PersistentFlags().Lookup(f.Name) != nil {
			global.AddFlag(f)
		} else {
			own.AddFlag(f)
		}
	})
	return own, global
}

// indented matches the indentation and, in a list, the term: two spaces follow it.
var indented = regexp.MustCompile(`^ +(\S+( \S+)* {2,})?`)

// prose wraps paragraphs to width columns. An indented line stays its own line.
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

// wrap starts the first line with first and the others with indent spaces.
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

// topics are commands that only have help.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{
			Use:   "environment",
			Short: "Environment variables",
			Long: `Mesh reads these variables. Flags and --profile take precedence.

  MESH_NODE             name of this node (--node)
  MESH_GATEWAY_URL      base URL of the gateway (--gateway-url)
  MESH_GATEWAY_TOKEN    gateway token
  MESH_TOKEN_FILE       absolute path to a file with the gateway token (--token-file); replaces MESH_GATEWAY_TOKEN
  MESH_CATALOG_URL      URL of the model catalog
  MESH_PROVIDERS_URL    URL of mesh providers, which must run on this machine
  MESH_PRICES           your own price files, separated as in PATH; --prices replaces them
  NO_COLOR              if set, headers are not bold
  TERM                  dumb turns off bold headers and progress
  XDG_CONFIG_HOME       directory with mesh/profiles.json (on Linux)
  XDG_CACHE_HOME        directory that caches the catalog for a day (on Linux)
  XDG_DATA_HOME         directory in which mesh update stores facts
  MESH_FACTS            file or directory with facts; replaces the stored ones

Provider keys:

  models and balances   OPENAI_API_KEY DEEPSEEK_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY XAI_API_KEY
  prices of Google      GOOGLE_CLOUD_BILLING_API_KEY or GOOGLE_CLOUD_API_KEY
  bills (mesh cost)     OPENAI_ADMIN_KEY ANTHROPIC_ADMIN_KEY, XAI_MANAGEMENT_KEY and XAI_TEAM_ID

If DEEPSEEK_API_KEY is unset, mesh balance reads it from the file at DEEPSEEK_LEGACY_ENV_PATH.

mesh meter reads OPENAI_BASE_URL, ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL, and sets them for its command. HTTPS_PROXY and NO_PROXY
select the proxy for its own requests. It changes HTTPS_PROXY, NODE_OPTIONS and NODE_USE_ENV_PROXY for its command, and with --intercept
the variables for certificates, such as SSL_CERT_FILE and NODE_EXTRA_CA_CERTS.

mesh serve sets MESH_MESSAGE_ID, MESH_FROM, MESH_KIND, MESH_THREAD_ID and MESH_THREAD for its command (mesh help serve).`,
		},
		{
			Use:   "profiles",
			Short: "Named settings in a file",
			Long: `Name your settings in mesh/profiles.json in the configuration directory (~/.config on Linux,
~/Library/Application Support on macOS, %AppData% on Windows):

  {"default": "home", "profiles": {
    "home": {"gateway_url": "http://127.0.0.1:8787/gateway"},
    "work": {"node": "node-a", "token_file": "~/.mesh-token",
      "gateway_url": "https://mesh.example.com/gateway"}}}

Flags come first, then --profile, the environment and the default profile. mesh whoami shows the source of each value. A relative
token_file starts at the directory that holds profiles.json.

A token goes only to its own gateway. If the gateway comes from a profile, the token comes from token_file or --token-file, never from
MESH_GATEWAY_TOKEN. If you override the gateway, such as with --gateway-url, the profile's token isn't sent. Keep tokens out of profiles.json.`,
		},
		{
			Use:   "exit-codes",
			Short: "Exit statuses",
			Long: `The exit status is

  0  success, or a gateway, serve, mcp or inbox --watch that you interrupted
  1  found something: a credential, a retired or soon retiring model, an old price, unpriced calls, a --fail-on rule of mesh usage, too large or unknown drift; or an answer to mesh ask is missing
  2  incorrect use: a flag, an argument, an unknown name, a missing key, or an unreadable or unwritable file
  3  the gateway, a provider, the output or an mcp session failed; serve was killed; or mesh price has no price for a model or call
  4  refused: the message contains a credential, or the node isn't registered

In a shell, 130 means that ^C ended any other command.`,
		},
	}
}

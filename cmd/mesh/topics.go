package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  mesh version -o json",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			version := cmd.Root().Version
			return a.print(map[string]string{"version": version}, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, "mesh version", version)
				return err
			})
		},
	}
}

// newEnvironment returns a help topic: a command that does nothing.
func newEnvironment() *cobra.Command {
	return &cobra.Command{
		Use:   "environment",
		Short: "The variables that the command reads",
		Long: `The command reads these variables. Flags take precedence.

  MESH_NODE             name of this node (--node)
  MESH_GATEWAY_URL      base URL of the gateway (--gateway-url)
  MESH_GATEWAY_TOKEN    token of the gateway; --token-file reads it from a file instead
  MESH_CATALOG_URL      address of the catalog of models
  NO_COLOR              if set, headers are not bold
  TERM                  dumb turns off bold headers and the line "waiting for a response"
  XDG_CACHE_HOME        folder that keeps the catalog for a day (on Linux)

Keys of providers:

  models and balances   OPENAI_API_KEY DEEPSEEK_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY XAI_API_KEY
  prices of Google      GOOGLE_CLOUD_BILLING_API_KEY or GOOGLE_CLOUD_API_KEY
  bills (mesh cost)     OPENAI_ADMIN_KEY ANTHROPIC_ADMIN_KEY, XAI_MANAGEMENT_KEY and XAI_TEAM_ID

A command of mesh serve also receives MESH_MESSAGE_ID, MESH_FROM, MESH_KIND and MESH_THREAD_ID.`,
	}
}

// newExitCodes returns a help topic.
func newExitCodes() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit statuses mean",
		Long: `The exit status is

  0  success; also for an interrupted gateway, serve, mcp and inbox --watch
  1  something was found: a credential, a retired or soon retiring model, or a drift that is too large or unknown
  2  the command was used incorrectly: a flag, an argument, or a name that does not exist
  3  the gateway, a provider, the output or a session of mcp failed; serve was killed
  4  refused: the message contains a credential, or the node is not registered`,
	}
}

// Package demo implements mesh demo: two nodes that talk, a metered program, 90 days of
// calls, a bill and a report, all in one process. Every run has the same numbers.
package demo

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// New returns the mesh demo command.
func New(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "demo [DIR]",
		Short: "Show everything mesh does in a few seconds",
		Long: `Demo runs the whole of mesh in one process: two nodes that talk through a gateway, a metered program with a fake model, 90 days
of calls, a bill that differs from them in two places, and the report. You need no key and no network.

DIR (default mesh-demo) must be a new or empty directory. Demo writes the calls, the bill, report.html, and commands.txt, which shows
how to repeat each step. Every run has the same numbers, for the last 90 days.`,
		Example: "  mesh demo\n  mesh demo ~/mesh-demo",
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, names []string) error {
			return run(cmd.Context(), a, append(names, "mesh-demo")[0])
		},
	}
}

func run(ctx context.Context, a *app.App, dir string) error {
	if err := makeEmpty(dir); err != nil {
		return exit.Usagef("%s: %w", dir, err)
	}
	out := a.Out
	if a.Format == "json" {
		out = io.Discard
	}
	if err := Play(ctx, out, dir, time.Now()); err != nil {
		return exit.Failedf("%w", err)
	}
	if a.Format == "json" {
		return a.Print(map[string]string{"directory": dir}, nil)
	}
	return nil
}

// makeEmpty accepts an existing directory if it is empty.
func makeEmpty(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return exit.WithoutPath(err)
	}
	entries, err := os.ReadDir(dir)
	if len(entries) > 0 {
		return errors.New("directory is not empty")
	}
	return exit.WithoutPath(err)
}

const agentScript = `#!/bin/sh
# For mesh serve: reads a question on stdin, asks a model and prints the answer. If the call
# is refused (status 402 beyond a budget), it fails, and mesh serve tries again.
cat > /dev/null
response=$(curl -sS --fail-with-body "$OPENAI_BASE_URL/chat/completions" -H "Authorization: Bearer $OPENAI_API_KEY" \
  -H "Content-Type: application/json" -d '{"model":"gpt-5.2","messages":[{"role":"user","content":"Is the build green?"}]}') || {
  printf '%s\n' "$response" >&2
  exit 1
}
printf '%s\n' "$response" | sed 's/.*"content":"\([^"]*\)".*/\1/'
`

const steps = `Repeat each step in this directory.

Start a gateway and fake providers, each in its own shell:

  mesh gateway --token example-development-token
  mesh providers

In a third shell, paste the lines printed by mesh providers and let node-b answer with a metered program:

  export MESH_GATEWAY_URL=http://127.0.0.1:8787/gateway MESH_GATEWAY_TOKEN=example-development-token
  mesh serve --node node-b -- mesh meter --log calls -- sh agent.sh

In a fourth shell, paste the MESH_GATEWAY_URL line and ask as node-a:

  mesh register --node node-a
  mesh ask --node node-a --thread build node-b "Is the build green?"

Show what the calls cost, by model and by team:

  mesh usage calls --last 28d
  mesh usage calls --by label:team

Compare the bill with the calls. It differs by more than 2 %, so the exit status is 1:

  mesh cost openai --bill bill.json --usage calls

Write a page with the bill and the calls, and a report with only the calls:

  mesh cost openai --bill bill.json --usage calls --html bill.html
  mesh usage calls --html report.html
`

func (s *story) commands() error {
	for name, text := range map[string]string{agentFile: agentScript, commandsFile: steps} {
		if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	s.section("By hand (" + s.path(commandsFile) + ")")
	for line := range strings.Lines(steps) {
		if text := strings.TrimSuffix(line, "\n"); text != "" {
			s.line("%s", text)
		}
	}
	return nil
}

// Package demo is mesh demo. It plays the story of the command in one process and leaves its files in a folder: two nodes that talk, a metered
// program, 90 days of calls, a bill and a report. Its numbers are the same in every run.
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

// Options are the argument of mesh demo.
type Options struct {
	*app.App
	dir string
}

// New returns the command mesh demo.
func New(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "demo [DIR]",
		Short: "Play the whole story in a few seconds, without a key, and leave its files in a folder",
		Long: `Demo plays what mesh does in one process: two nodes that talk through a gateway, a metered program with a fake model, 90 days
of calls, a bill that differs from them in two places, and the report. It needs no key and no network.

DIR, by default mesh-demo, must be a new or an empty folder. It gets the calls, the bill, report.html, and commands.txt with the commands
that repeat each step by hand. The numbers are the same in every run; the days are the last 90.`,
		Example: "  mesh demo\n  mesh demo /tmp/mesh-demo",
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, names []string) error {
			return run(cmd.Context(), &Options{a, append(names, "mesh-demo")[0]})
		},
	}
}

// run plays the story and leaves its files in the folder.
func run(ctx context.Context, o *Options) error {
	if err := emptyFolder(o.dir); err != nil {
		return exit.Usagef("%s: %w", o.dir, err)
	}
	out := o.Out
	if o.Format == "json" {
		out = io.Discard
	}
	if err := Play(ctx, out, o.dir, time.Now()); err != nil {
		return exit.Failedf("%w", err)
	}
	if o.Format == "json" {
		return o.Print(map[string]string{"folder": o.dir}, nil)
	}
	return nil
}

// emptyFolder makes a folder, unless it exists and is empty.
func emptyFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return exit.WithoutPath(err)
	}
	entries, err := os.ReadDir(dir)
	if len(entries) > 0 {
		return errors.New("the folder is not empty")
	}
	return exit.WithoutPath(err)
}

// agentScript answers each question with the text of a fake model.
const agentScript = `#!/bin/sh
# A program for mesh serve: it reads a question on stdin, asks a model and prints the answer. A refused call, as one beyond a budget
# with its status 402, is no answer: the program fails, and mesh serve tries again.
cat > /dev/null
response=$(curl -sS --fail-with-body "$OPENAI_BASE_URL/chat/completions" -H "Authorization: Bearer $OPENAI_API_KEY" \
  -H "Content-Type: application/json" -d '{"model":"gpt-5.2","messages":[{"role":"user","content":"Is the build green?"}]}') || {
  printf '%s\n' "$response" >&2
  exit 1
}
printf '%s\n' "$response" | sed 's/.*"content":"\([^"]*\)".*/\1/'
`

const steps = `Each step by hand, in this folder.

A gateway and fake providers, each in a shell of its own:

  mesh gateway --token example-development-token
  mesh providers

A third shell, with the lines that mesh providers printed, for node-b, which answers with a metered program:

  export MESH_GATEWAY_URL=http://127.0.0.1:8787/gateway MESH_GATEWAY_TOKEN=example-development-token
  mesh serve --node node-b -- mesh meter --log calls -- sh agent.sh

A fourth shell, with the line of MESH_GATEWAY_URL, for node-a:

  mesh register --node node-a
  mesh ask --node node-a --thread build node-b "Is the build green?"

What the calls cost, by model and by team:

  mesh usage calls --last 28d
  mesh usage calls --by label:team

The bill beside the calls. It differs by more than 2 %, so the exit status is 1:

  mesh cost openai --bill bill.json --usage calls

A page of the bill and the calls, and the report of the calls alone:

  mesh cost openai --bill bill.json --usage calls --html bill.html
  mesh usage calls --html report.html
`

// commands writes and prints how to repeat the story by hand.
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

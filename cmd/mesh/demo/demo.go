// Package demo is mesh demo. It plays the story of the command in one process and leaves its files in a folder: two nodes that talk, a metered
// program, 90 days of calls, a bill and a report. Its numbers are the same in every run.
package demo

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

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
		Args:    app.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, names []string) error {
			dir := "mesh-demo"
			if len(names) > 0 {
				dir = names[0]
			}
			return run(cmd.Context(), a, dir)
		},
	}
}

func run(ctx context.Context, a *app.App, dir string) error {
	if err := emptyFolder(dir); err != nil {
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
		return a.Print(map[string]string{"folder": dir}, nil)
	}
	return nil
}

// emptyFolder makes a folder, unless it exists and is empty.
func emptyFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return exit.WithoutPath(os.MkdirAll(dir, 0o700))
	case err != nil:
		return exit.WithoutPath(err)
	case len(entries) > 0:
		return errors.New("the folder is not empty")
	}
	return nil
}

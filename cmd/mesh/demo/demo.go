// Package demo is mesh demo. It plays the story of the command in one process and leaves its files in a folder: two nodes that talk, a metered
// program, 90 days of calls, a bill and a report. Its numbers are the same in every run.
package demo

import (
	"context"
	"errors"
	"io"
	"os"
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

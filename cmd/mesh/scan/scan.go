// Package scan implements mesh scan, which finds credentials in files and stdin.
package scan

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/scan"
)

// Options are the command's flags.
type Options struct {
	*app.App
	paths                              []string
	heuristics, noHeuristics, extended bool
	sources                            codebase.Flags
}

// New returns the mesh scan command.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	cmd := &cobra.Command{
		Use:   "scan [FILE|DIR...|-]",
		Short: "Find credentials in files, directories or stdin; exit status 1 if there are any",
		Long: `Scan finds credentials in files and directories, or in stdin if you name none. For each one it prints file:line:column, the rule and
advice, and then it counts them by rule and file. It never prints a credential.

Exit status: 1 if there are credentials. An unreadable file is reported, and the others are scanned; the exit status is
then 2, or 1 if the others contain credentials.

Rules: 10 and 12 also match harmless text. They apply to stdin, as to a message, and with --heuristics also to files.
The gateway token from --token-file or MESH_GATEWAY_TOKEN is found at any position, and no baseline accepts it.

` + codebase.Help + ` A baseline contains parts of hashes, but no credentials.

Output: -o github prints annotations for GitHub Actions.`,
		Example: `  mesh scan .
  mesh scan --write-baseline credentials.baseline .
  mesh scan --exclude 'docs/**' --baseline credentials.baseline .
  git diff --cached --name-only -z --diff-filter=d | xargs -0 -r mesh scan --`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, paths []string) error {
			o.paths = paths
			return run(o)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.heuristics, "heuristics", false, "also apply rules 10 and 12 to files")
	flags.BoolVar(&o.noHeuristics, "no-heuristics", false, "don't apply rules 10 and 12 to stdin")
	flags.BoolVar(&o.extended, "extended", false, "add the extended rules")
	app.Exclude(cmd, "heuristics", "no-heuristics")
	o.sources.Add(cmd)
	return cmd
}

func run(o *Options) error {
	s, err := codebase.NewSearch[finding](o.App, &o.sources, "scan")
	if err == nil {
		err = o.scanPaths(s)
	}
	if err != nil {
		return err
	}
	if s.WritesBaseline() {
		return s.WriteBaseline()
	}
	if err := o.printFindings(s); err != nil {
		return err
	}
	if len(s.Found) == 0 {
		return s.UnreadError()
	}
	for _, err := range s.Unread {
		o.Warn(err)
	}
	return exit.ErrFound
}

func (o *Options) scanPaths(s *codebase.Search[finding]) error {
	inFiles, err := o.Scanner(o.rules(o.heuristics)...)
	if err != nil {
		return err
	}
	named := slices.DeleteFunc(slices.Clone(o.paths), func(path string) bool { return path == "-" })
	if len(named) < len(o.paths) || len(o.paths) == 0 {
		if err := o.scanStdin(s); err != nil {
			return err
		}
	}
	s.Files(named, true, func(file, text string) []codebase.Match[finding] {
		found := matchesIn(inFiles, file, text)
		if codebase.IsBaseline(text) { // its fingerprints match the heuristic rules; a key next to them is still found
			found = slices.DeleteFunc(found, func(m codebase.Match[finding]) bool { return m.Value.Heuristic })
		}
		return found
	})
	return nil
}

// An empty stdin succeeds: a pipe may have nothing to check.
func (o *Options) scanStdin(s *codebase.Search[finding]) error {
	scanner, err := o.Scanner(o.rules(!o.noHeuristics)...)
	if err != nil {
		return err
	}
	in := o.ReadingStdin()
	if in == o.In {
		o.Note("reading stdin from the terminal; ^D ends it")
	}
	content, err := io.ReadAll(in)
	if err != nil {
		return exit.WrongUse(err)
	}
	if len(content) == 0 {
		o.Note("stdin is empty; mesh scan . scans this directory")
		return nil
	}
	s.InFolder = true
	text, err := codebase.Decoded(string(content))
	if err != nil {
		return exit.Usagef("stdin: %w", err)
	}
	s.Add(matchesIn(scanner, "-", text))
	return nil
}

func (o *Options) rules(heuristics bool) []scan.Option {
	opts := []scan.Option{scan.WithEscapes()}
	if o.extended {
		opts = append(opts, scan.WithExtendedRules())
	}
	if !heuristics {
		opts = append(opts, scan.WithoutHeuristics())
	}
	return opts
}

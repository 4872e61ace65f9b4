// Package scan is mesh scan: credentials in files and in stdin.
package scan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/scan"
)

// Options are the flags of mesh scan.
type Options struct {
	*app.App
	paths                              []string
	heuristics, noHeuristics, extended bool
	sources                            codebase.Flags
}

// New returns the command mesh scan.
func New(a *app.App) *cobra.Command {
	o := &Options{App: a}
	cmd := &cobra.Command{
		Use:   "scan [FILE|DIR...|-]",
		Short: "Find credentials in files, folders or stdin; exit status 1 if there are any",
		Long: `Scan prints file:line:column, rule and advice for each credential in the files and folders, or in stdin if none is given, and how many
each rule and file has. It never prints a credential. The exit status is 1 if there are any. A file that cannot be read is
reported, and the others are scanned; the exit status is then 2, or 1 if the others contain credentials. Scan holds as many files at
a time in memory as there are processors.

Rules 10 and 12 also match harmless text. They are for stdin, as for a message, and with --heuristics for files.
It also finds the gateway token of --token-file or MESH_GATEWAY_TOKEN, at any position; a baseline never accepts this token.

` + codebase.Help + ` A baseline has parts of hashes, and no credential.
-o github prints annotations for GitHub Actions.`,
		Example: `  mesh scan .
  mesh scan --exclude 'docs/**' --baseline credentials.baseline .
  git diff --cached --name-only -z --diff-filter=d | xargs -0 -r mesh scan --`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, paths []string) error {
			o.paths = paths
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().BoolVar(&o.heuristics, "heuristics", false, "apply the rules that also match harmless text to files")
	cmd.Flags().BoolVar(&o.noHeuristics, "no-heuristics", false, "do not apply them to stdin")
	cmd.Flags().BoolVar(&o.extended, "extended", false, "add the extended rules")
	app.Exclude(cmd, "heuristics", "no-heuristics")
	o.sources.Add(cmd)
	return cmd
}

// run prints the credentials in the files. It reads stdin if none is given.
func run(_ context.Context, o *Options) error {
	if len(o.paths) == 0 {
		o.paths = []string{"-"}
	}
	selection, known, err := o.sources.Open("scan")
	if err != nil {
		return err
	}
	r := scanReport{selection: selection, known: known, written: codebase.NewBaseline(o.sources.WriteBaseline), found: []finding{}}
	if err := o.scanPaths(&r); err != nil {
		return err
	}
	if o.sources.WriteBaseline != "" {
		return errors.Join(codebase.WriteBaseline(o.App, o.sources.WriteBaseline, r.written), codebase.JoinUnread(r.unread))
	}
	if err := o.printFindings(&r); err != nil {
		return err
	}
	if len(r.found) == 0 {
		return codebase.JoinUnread(r.unread)
	}
	for _, err := range r.unread {
		o.Warn(err)
	}
	return exit.ErrFound
}

// scanPaths adds the findings in files and folders, and in stdin for "-".
func (o *Options) scanPaths(r *scanReport) error {
	inFiles, err := o.Scanner(o.extended, withHeuristics(o.heuristics))
	if err != nil {
		return err
	}
	var named []string
	for _, path := range o.paths {
		if path != "-" {
			named = append(named, path)
			continue
		}
		file, err := o.scanStdin()
		if err != nil {
			return err
		}
		r.add(file)
	}
	list := r.selection.Files(named)
	defer o.Progress.Stop()
	for _, file := range codebase.Each(list, codebase.Reading(o.App, list), func() func(codebase.File) scanned {
		return func(file codebase.File) scanned { return scanFile(inFiles, file) }
	}) {
		r.add(file)
	}
	return nil
}

// scanStdin returns the findings in stdin. An empty stdin is no error: a pipe may have nothing to check.
func (o *Options) scanStdin() (scanned, error) {
	scanner, err := o.Scanner(o.extended, withHeuristics(!o.noHeuristics))
	if err != nil {
		return scanned{}, err
	}
	in := o.ReadingStdin()
	if in == o.In {
		o.Note("reading stdin from the terminal; ^D ends it")
	}
	content, err := io.ReadAll(in)
	if err != nil {
		return scanned{}, exit.WrongUse(err)
	}
	if len(content) == 0 {
		o.Note("stdin is empty; mesh scan . scans this folder")
		return scanned{}, nil
	}
	return scanned{isText: true, matches: matchesIn(scanner, "-", string(content))}, nil
}

// withHeuristics returns an option of a scanner, or nil.
func withHeuristics(apply bool) scan.Option {
	if apply {
		return nil
	}
	return scan.WithoutHeuristics()
}

// scanned is what was found in a file.
type scanned struct {
	matches []match
	isText  bool
	named   bool
	err     error
}

// scanFile returns the findings in a file. A binary file is scanned only if it was given by name.
func scanFile(scanner *scan.Scanner, file codebase.File) scanned {
	if file.Err != nil {
		return scanned{err: exit.FileError(file.Path, file.Err)}
	}
	text, isText, err := file.ReadText()
	if err != nil || !isText && !file.Named {
		return scanned{err: exit.FileError(file.Path, err)}
	}
	found := scanned{isText: true, named: file.Named, matches: matchesIn(scanner, file.Path, text)}
	if codebase.IsBaseline(text) { // its fingerprints match the heuristic rules; a key beside them is still one
		found.matches = slices.DeleteFunc(found.matches, func(m match) bool { return m.Heuristic })
	}
	return found
}

// printFindings prints a report in the format of -o.
func (o *Options) printFindings(r *scanReport) error {
	if o.Format != "text" {
		codebase.PrintNotes(o.App, r.Notes(r.selection))
	}
	if o.Format != "github" {
		return o.Print(r.found, r.text)
	}
	for _, f := range r.found {
		if err := codebase.Annotation(o.Out, "error", f.File, f.Line, f.Column, f.Name, f.Advice); err != nil {
			return err
		}
	}
	return nil
}

// label returns the name of the rule, marked if it also matches harmless text.
func (f finding) label() string {
	if f.Heuristic {
		return f.Name + " (heuristic)"
	}
	return f.Name
}

func findingLines(w io.Writer, found []finding) error {
	for _, f := range found {
		if _, err := fmt.Fprintf(w, "%s:%d:%d: %s: %s\n", output.Line(f.File), f.Line, f.Column, f.label(), f.Advice); err != nil {
			return err
		}
	}
	return nil
}

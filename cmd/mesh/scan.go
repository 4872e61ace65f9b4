package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/source"
	"github.com/mesh-gateway/mesh-go/scan"
)

// scanFlags are the flags of mesh scan.
type scanFlags struct {
	heuristics, noHeuristics, extended bool
	sources                            sourceFlags
}

func newScan(a *app) *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan [FILE|DIR...|-]",
		Short: "Find credentials in files, folders or stdin; exit status 1 if there are any",
		Long: `Scan prints file:line:column, rule and advice for each credential in the files and folders, or in stdin if none is given, and how many
each rule and file has. It never prints a credential. The exit status is 1 if there are any. A file that cannot be read is
reported, and the others are scanned; the exit status is then 2, or 1 if the others contain credentials. Scan holds as many files at
a time in memory as there are processors.

Rules 10 and 12 also match harmless text. They are for stdin, as for a message, and with --heuristics for files.
It also finds the gateway token of --token-file or MESH_GATEWAY_TOKEN, at any position; a baseline never accepts this token.

` + sourceHelp + ` A baseline has parts of hashes, and no credential.
-o github prints annotations for GitHub Actions.`,
		Example: `  mesh scan .
  mesh scan --exclude 'docs/**' --baseline credentials.baseline .
  git diff --cached --name-only -z --no-renames --diff-filter=d | xargs -0 -r mesh scan --`,
		Args: args(cobra.ArbitraryArgs),
		RunE: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				files = []string{"-"}
			}
			return a.scan(files, f)
		},
	}
	cmd.Flags().BoolVar(&f.heuristics, "heuristics", false, "apply the rules that also match harmless text to files")
	cmd.Flags().BoolVar(&f.noHeuristics, "no-heuristics", false, "do not apply them to stdin")
	cmd.Flags().BoolVar(&f.extended, "extended", false, "add the extended rules")
	exclude(cmd, "heuristics", "no-heuristics")
	f.sources.add(cmd)
	return cmd
}

func (a *app) scan(paths []string, f scanFlags) error {
	selection, known, err := f.sources.open("scan")
	if err != nil {
		return err
	}
	r := scanReport{selection: selection, known: known, written: source.NewBaseline(f.sources.writeBaseline), found: []finding{}}
	if err := a.scanPaths(&r, paths, f); err != nil {
		return err
	}
	if f.sources.writeBaseline != "" {
		return errors.Join(a.writeBaseline(f.sources.writeBaseline, r.written), joinUnread(r.unread))
	}
	if err := a.printFindings(&r); err != nil {
		return err
	}
	if len(r.found) == 0 {
		return joinUnread(r.unread)
	}
	for _, err := range r.unread {
		a.warn(err)
	}
	return errFound
}

// scanPaths adds the findings in files and folders, and in stdin for "-".
func (a *app) scanPaths(r *scanReport, paths []string, f scanFlags) error {
	inFiles, err := a.scanner(f.extended, withHeuristics(f.heuristics))
	if err != nil {
		return err
	}
	for _, path := range paths {
		if path != "-" {
			continue
		}
		file, err := a.scanStdin(f)
		if err != nil {
			return err
		}
		r.add(file)
	}
	files := r.selection.Files(withoutStdin(paths))
	defer a.progress.Stop()
	for _, file := range source.Each(files, a.readingSources(files), func() func(source.File) scanned {
		return func(file source.File) scanned { return scanFile(inFiles, file) }
	}) {
		r.add(file)
	}
	return nil
}

// scanStdin returns the findings in stdin. An empty stdin is no error: a pipe may have nothing to check.
func (a *app) scanStdin(f scanFlags) (scanned, error) {
	scanner, err := a.scanner(f.extended, withHeuristics(!f.noHeuristics))
	if err != nil {
		return scanned{}, err
	}
	in := a.readingStdin()
	if in == a.in {
		a.note("reading stdin from the terminal; ^D ends it")
	}
	content, err := io.ReadAll(in)
	if err != nil {
		return scanned{}, wrongUse(err)
	}
	if len(content) == 0 {
		a.note("stdin is empty; mesh scan . scans this folder")
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

func withoutStdin(paths []string) (files []string) {
	for _, path := range paths {
		if path != "-" {
			files = append(files, path)
		}
	}
	return files
}

// scanned is what was found in a file.
type scanned struct {
	matches []match
	isText  bool
	named   bool
	err     error
}

// scanFile returns the findings in a file. A binary file is scanned only if it was given by name.
func scanFile(scanner *scan.Scanner, file source.File) scanned {
	if file.Err != nil {
		return scanned{err: fileError(file.Path, file.Err)}
	}
	text, isText, err := file.ReadText()
	if err != nil || !isText && !file.Named {
		return scanned{err: fileError(file.Path, err)}
	}
	found := scanned{isText: true, named: file.Named, matches: matchesIn(scanner, file.Path, text)}
	if source.IsBaseline(text) { // its fingerprints match the heuristic rules; a key beside them is still one
		found.matches = slices.DeleteFunc(found.matches, func(m match) bool { return m.Heuristic })
	}
	return found
}

// scanner returns a scanner that knows the token of the gateway.
func (a *app) scanner(extended bool, opts ...scan.Option) (*scan.Scanner, error) {
	token, err := a.token()
	opts = append(opts, scan.WithLiveToken(token), scan.WithLiveToken(os.Getenv(profile.TokenVariable)))
	if extended {
		opts = append(opts, scan.WithExtendedRules())
	}
	return scan.New(opts...), err
}

// printFindings prints a report in the format of -o.
func (a *app) printFindings(r *scanReport) error {
	switch a.format {
	case "json":
		a.printNotes(r.notes(r.selection))
		return a.print(r.found, nil)
	case "github":
		a.printNotes(r.notes(r.selection))
		for _, f := range r.found {
			if err := annotation(a.out, "error", f.File, f.Line, f.Column, f.Name, f.Advice); err != nil {
				return err
			}
		}
		return nil
	}
	return a.print(r.found, r.text)
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

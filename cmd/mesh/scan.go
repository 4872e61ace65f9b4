package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
	"github.com/mesh-gateway/mesh-go/scan"
)

// scanFlags are the flags of mesh scan.
type scanFlags struct{ noHeuristics, extended bool }

func newScan(a *app) *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan [FILE...|-]",
		Short: "Find credentials in files or stdin; exit status 1 if there are any",
		Long: `Scan prints file:line:column, rule and advice for each credential in the files, or in stdin if no file is given. It never
prints a credential. The exit status is 1 if there are any. A file that cannot be read is reported, and the others are
scanned; the exit status is then 2, or 1 if the others contain credentials. Scan holds one file at a time in memory.

It also finds the gateway token of --token-file or MESH_GATEWAY_TOKEN, at any position.`,
		Example: `  mesh scan *.env
  git diff --cached --name-only -z --no-renames --diff-filter=d | xargs -0 -r mesh scan --no-heuristics --`,
		Args: args(cobra.ArbitraryArgs),
		RunE: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				files = []string{"-"}
			}
			return a.scan(files, f)
		},
	}
	cmd.Flags().BoolVar(&f.noHeuristics, "no-heuristics", false, "leave out the rules that also match harmless text")
	cmd.Flags().BoolVar(&f.extended, "extended", false, "add the extended rules")
	return cmd
}

func (a *app) scan(files []string, f scanFlags) error {
	scanner, err := a.scanner(f.extended)
	if err != nil {
		return err
	}
	var unread []error
	found := []finding{}
	for _, file := range files {
		content, err := a.content(file)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		for _, one := range findingsIn(scanner, file, content) {
			if !one.Heuristic || !f.noHeuristics {
				found = append(found, one)
			}
		}
	}
	if err := a.print(found, func(w io.Writer) error { return findingLines(w, found) }); err != nil {
		return err
	}
	if len(found) == 0 {
		return errors.Join(unread...)
	}
	for _, err := range unread {
		a.warn(err)
	}
	return errFound
}

// scanner returns a scanner that knows the token of the gateway.
func (a *app) scanner(extended bool) (*scan.Scanner, error) {
	token, err := a.token()
	opts := []scan.Option{scan.WithLiveToken(token), scan.WithLiveToken(os.Getenv(profile.TokenVariable))}
	if extended {
		opts = append(opts, scan.WithExtendedRules())
	}
	return scan.New(opts...), err
}

// content returns a file, or stdin for "-". It holds the file in memory once, and not also what io.ReadAll grows through.
func (a *app) content(file string) (string, error) {
	in, done, err := a.open(file)
	if err != nil {
		return "", err
	}
	defer done()
	var content strings.Builder
	if f, ok := in.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			content.Grow(int(info.Size()))
		}
	}
	if _, err := io.Copy(&content, in); err != nil {
		return "", &usageError{err}
	}
	return content.String(), nil
}

func findingLines(w io.Writer, found []finding) error {
	for _, f := range found {
		name := f.Name
		if f.Heuristic {
			name += " (heuristic)"
		}
		if _, err := fmt.Fprintf(w, "%s:%d:%d: %s: %s\n", output.Line(f.File), f.Line, f.Column, name, f.Advice); err != nil {
			return err
		}
	}
	return nil
}

// open opens a file, or stdin for "-".
func (a *app) open(file string) (in io.Reader, done func(), err error) {
	if file == "-" {
		return a.in, func() {}, nil
	}
	f, err := os.Open(file) //nolint:gosec // the user names the file
	if err != nil {
		return nil, nil, &usageError{err}
	}
	return f, func() { _ = f.Close() }, nil
}

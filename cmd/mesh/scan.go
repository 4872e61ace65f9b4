package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/scan"
)

// heuristic reports whether a rule also matches harmless text of the same format: a run of 40 characters before the word aws,
// or of 48 before the name of the gateway token.
func heuristic(rule scan.Rule) bool { return rule.Number == 10 || rule.Number == 12 }

// place is a finding at a line and a column of a file, both from 1. The column counts characters.
type place struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	Rule      int    `json:"rule"`
	Name      string `json:"name"`
	Heuristic bool   `json:"heuristic"`
	Advice    string `json:"advice"`
}

// scanFlags are the flags of mesh scan.
type scanFlags struct{ noHeuristics, extended bool }

func newScan(a *app) *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan [FILE...|-]",
		Short: "Find credentials in files or stdin; exit status 1 when there are any",
		Long: `Scan prints file:line:column, rule and advice for each credential in the files, or in stdin without a file. It never prints
a credential. The exit status is 1 when there are any, so that a pre-commit hook can be:

  git diff --cached --name-only -z --diff-filter=ACM | xargs -0 -r mesh scan --no-heuristics`,
		Args: args(cobra.ArbitraryArgs),
		RunE: func(_ *cobra.Command, files []string) error { return a.scan(files, f) },
	}
	cmd.Flags().BoolVar(&f.noHeuristics, "no-heuristics", false, "leave out the rules that also match harmless text")
	cmd.Flags().BoolVar(&f.extended, "extended", false, "add the extended rules")
	return cmd
}

func (a *app) scan(files []string, f scanFlags) error {
	opts := []scan.Option{scan.WithLiveToken(os.Getenv("MESH_GATEWAY_TOKEN"))}
	if f.extended {
		opts = append(opts, scan.WithExtendedRules())
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	scanner, places := scan.New(opts...), []place{}
	for _, file := range files {
		content, err := a.contents(file)
		if err != nil {
			return err
		}
		for _, p := range locate(file, content, scanner.FindAll(content)) {
			if !p.Heuristic || !f.noHeuristics {
				places = append(places, p)
			}
		}
	}
	if err := a.print(places, func(w io.Writer) error { return placeLines(w, places) }); err != nil {
		return err
	}
	if len(places) > 0 {
		return errFound
	}
	return nil
}

// contents returns a file, or stdin for "-".
func (a *app) contents(file string) (string, error) {
	in, done, err := a.open(file)
	if err != nil {
		return "", err
	}
	defer done()
	content, err := io.ReadAll(in)
	if err != nil {
		return "", usagef("%w", err)
	}
	return string(content), nil
}

// locate turns offsets, which are in order, into lines and columns in one pass.
func locate(file, content string, findings []scan.Finding) []place {
	places := make([]place, len(findings))
	line, column, next := 1, 1, 0
	for offset, r := range content {
		for next < len(findings) && findings[next].Start <= offset {
			rule := findings[next].Rule
			places[next] = place{file, line, column, rule.Number, rule.Name, heuristic(rule), rule.Advice}
			next++
		}
		if next == len(findings) {
			break
		}
		if column++; r == '\n' {
			line, column = line+1, 1
		}
	}
	return places
}

func placeLines(w io.Writer, places []place) error {
	for _, p := range places {
		name := p.Name
		if p.Heuristic {
			name += " (heuristic)"
		}
		if _, err := fmt.Fprintf(w, "%s:%d:%d: %s: %s\n", oneLine(p.File), p.Line, p.Column, name, p.Advice); err != nil {
			return err
		}
	}
	return nil
}

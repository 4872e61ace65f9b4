package scan

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/scan"
)

// finding is a credential's place and rule. It doesn't contain the credential.
type finding struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	Rule      int    `json:"rule"`
	Name      string `json:"name"`
	Heuristic bool   `json:"heuristic"`
	Advice    string `json:"advice"`
}

func (f finding) label() string {
	if f.Heuristic {
		return f.Name + " (heuristic)"
	}
	return f.Name
}

func matchesIn(scanner *scan.Scanner, file, content string) []codebase.Match[finding] {
	found := mostSpecific(scanner.FindAll(content))
	list := make([]codebase.Match[finding], len(found))
	place := codebase.Begin(content)
	for i, f := range found {
		place.Move(f.Start)
		rule := f.Rule
		list[i] = codebase.Match[finding]{
			Value:   finding{file, place.Line, place.Column, rule.Number, rule.Name, rule.Heuristic(), rule.Advice},
			Ignored: place.Ignored,
		}
		if rule.Number != 0 { // a baseline never accepts the gateway token
			list[i].Entry = &codebase.Entry{File: file, What: rule.Name, Credential: strings.Clone(content[f.Start:f.End])}
		}
	}
	return list
}

// mostSpecific drops matches inside a more specific rule's: an Anthropic key also looks
// like an OpenAI key.
func mostSpecific(found []scan.Finding) (list []scan.Finding) {
	slices.SortStableFunc(found, func(x, y scan.Finding) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(generality(x.Rule), generality(y.Rule)))
	})
	var ends [3]int // by generality
	for _, f := range found {
		n := generality(f.Rule)
		if n == 0 || slices.Max(ends[:n]) <= f.Start {
			list = append(list, f)
		}
		ends[n] = max(ends[n], f.End)
	}
	return list
}

// generality orders rules: a heuristic matches any long string, and openai-api-key all
// keys that begin with sk-.
func generality(r scan.Rule) int {
	switch {
	case r.Heuristic():
		return 2
	case r.Name == "openai-api-key":
		return 1
	default:
		return 0
	}
}

func (o *Options) printFindings(s *codebase.Search[finding]) error {
	annotations := make([]codebase.Annotation, len(s.Found))
	for i, f := range s.Found {
		annotations[i] = codebase.Annotation{File: f.File, Line: f.Line, Column: f.Column, Title: f.Name, Text: f.Advice}
	}
	notes := s.Notes()
	return s.Print(s.Found, slices.Concat(notes, s.LeftOut()), func(w io.Writer) error {
		for _, f := range s.Found {
			if _, err := fmt.Fprintf(w, "%s:%d:%d: %s: %s\n", output.Line(f.File), f.Line, f.Column, f.label(), f.Advice); err != nil {
				return err
			}
		}
		if len(s.Found) > 1 {
			if err := summary(w, s.Found); err != nil {
				return err
			}
		}
		if s.InFolder || len(s.Found) > 1 { // nothing if the named files are clean
			notes = append(notes, output.Plural(len(s.Found), "finding")+" in "+filesOf(s))
		}
		notes = append(notes, s.LeftOut()...)
		if len(s.Found) > 0 {
			notes = append(notes, codebase.Accepting)
		}
		for _, line := range notes {
			if _, err := fmt.Fprintln(w, line); err != nil {
				return err
			}
		}
		return nil
	}, annotations)
}

// filesOf counts the files with findings, and all.
func filesOf(s *codebase.Search[finding]) string {
	files := map[string]bool{}
	for _, f := range s.Found {
		files[f.File] = true
	}
	if len(files) == 0 || len(files) == s.Texts {
		return output.Plural(s.Texts, "file")
	}
	return table.Count(len(files)) + " of " + output.Plural(s.Texts, "file")
}

const maxCounts = 20

// summary counts findings by rule and file, the most first.
func summary(w io.Writer, found []finding) error {
	type key struct{ rule, file string }
	counts := map[key]int{}
	for _, f := range found {
		counts[key{f.label(), f.File}]++
	}
	keys := slices.SortedFunc(maps.Keys(counts), func(x, y key) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x.rule, y.rule), cmp.Compare(x.file, y.file))
	})
	var rows [][]string
	rest := len(found)
	for _, k := range keys[:min(maxCounts, len(keys))] {
		rows = append(rows, []string{table.Count(counts[k]), k.rule, k.file})
		rest -= counts[k]
	}
	if rest > 0 {
		rows = append(rows, []string{table.Count(rest), "others", ""})
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return output.Table(w, []table.Column{table.Plain("COUNT", 0), table.Plain("RULE", 0), table.Key("FILE")}, rows)
}

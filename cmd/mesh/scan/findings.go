package scan

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/internal/table"
	"github.com/mesh-gateway/mesh-go/scan"
)

// finding is a credential at a line and a column of a file, both from 1. The column counts characters. It does not contain the
// credential.
type finding struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	Rule      int    `json:"rule"`
	Name      string `json:"name"`
	Heuristic bool   `json:"heuristic"`
	Advice    string `json:"advice"`
}

// match is a finding with its credential, which is hashed for a baseline and never printed.
type match struct {
	finding
	credential string
	ignored    bool
}

// matchesIn returns the findings in the content of a file. It turns offsets, which are in order, into lines and columns in one pass.
func matchesIn(scanner *scan.Scanner, file, content string) []match {
	found := mostSpecific(scanner.FindAll(content))
	list := make([]match, len(found))
	line, ignored := 0, false
	column, counted := 1, 0 // the column of the byte at counted
	for i, f := range found {
		if newlines := strings.Count(content[counted:f.Start], "\n"); newlines > 0 || i == 0 {
			line += newlines
			begin := strings.LastIndexByte(content[:f.Start], '\n') + 1
			column, counted = 1, begin
			text, _, _ := strings.Cut(content[begin:], "\n")
			ignored = codebase.IsIgnored(text)
		}
		column += characters(content[counted:f.Start])
		counted = f.Start
		rule := f.Rule
		list[i] = match{
			finding{file, line + 1, column, rule.Number, rule.Name, rule.Heuristic(), rule.Advice}, strings.Clone(content[f.Start:f.End]), ignored,
		}
	}
	return list
}

// mostSpecific leaves out what begins in a match of a more specific rule: an Anthropic key has the format of an OpenAI key, too.
func mostSpecific(found []scan.Finding) (list []scan.Finding) {
	slices.SortStableFunc(found, func(x, y scan.Finding) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(generality(x.Rule), generality(y.Rule)))
	})
	var ends [3]int // of the matches so far, by generality
	for _, f := range found {
		n := generality(f.Rule)
		if n == 0 || slices.Max(ends[:n]) <= f.Start {
			list = append(list, f)
		}
		ends[n] = max(ends[n], f.End)
	}
	return list
}

// generality orders rules: a heuristic matches runs of many characters, and openai-api-key all keys that begin with sk-.
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

// characters counts the characters of a text; a byte that is not UTF-8 counts as one.
func characters(text string) (n int) {
	for range text {
		n++
	}
	return n
}

// scanReport has the credentials of a code base.
type scanReport struct {
	selection      *codebase.Selection
	known, written *codebase.Baseline

	found  []finding
	files  int
	folder bool
	unread []error
	codebase.Accepted
}

func (r *scanReport) add(file scanned) {
	if file.err != nil {
		r.unread = append(r.unread, file.err)
	}
	if file.isText {
		r.files++
		r.folder = r.folder || !file.named
	}
	for _, m := range file.matches {
		switch {
		case m.ignored:
			r.Ignored++
		case m.Rule != 0 && r.isKnown(m):
			r.Accepted.Known++
		default:
			r.found = append(r.found, m.finding)
		}
	}
}

// isKnown reports whether the baseline has a match, and adds it to the one that is written.
func (r *scanReport) isKnown(m match) bool {
	r.written.Add(inBaseline(r.written, m))
	return r.known != nil && r.known.Knows(inBaseline(r.known, m))
}

// inBaseline returns the form of a match in a baseline.
func inBaseline(b *codebase.Baseline, m match) codebase.Finding {
	f := codebase.Finding{File: b.In(m.File), What: m.Name}
	f.What += " " + codebase.Fingerprint(f, m.credential)
	return f
}

// text writes the findings and a summary, which is left out if files were given by name and have none.
func (r *scanReport) text(w io.Writer) error {
	if err := findingLines(w, r.found); err != nil {
		return err
	}
	if len(r.found) > 1 {
		if err := r.table(w); err != nil {
			return err
		}
	}
	lines := r.Notes(r.selection)
	if r.folder || len(r.found) > 1 {
		lines = append(lines, output.Plural(len(r.found), "finding")+" in "+output.Plural(r.files, "file"))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// maxCounts is how many rows the summary has.
const maxCounts = 20

// table writes how many findings each rule has in each file, the most first.
func (r *scanReport) table(w io.Writer) error {
	type key struct{ rule, file string }
	counts := map[key]int{}
	for _, f := range r.found {
		counts[key{f.label(), f.File}]++
	}
	keys := make([]key, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y key) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x.rule, y.rule), cmp.Compare(x.file, y.file))
	})
	var rows [][]string
	rest := 0
	for i, k := range keys {
		if i < maxCounts {
			rows = append(rows, []string{table.Count(counts[k]), k.rule, k.file})
		} else {
			rest += counts[k]
		}
	}
	if rest > 0 {
		rows = append(rows, []string{table.Count(rest), "others", ""})
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return output.Table(w, []table.Column{table.Plain("COUNT", 0), table.Plain("RULE", 0), table.Key("FILE")}, rows)
}

package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/source"
	"github.com/mesh-gateway/mesh-go/internal/costtable"
)

// sourceFlags are the flags of the commands that search a code base.
type sourceFlags struct {
	exclude                 []string
	allFiles                bool
	baseline, writeBaseline string
}

// sourceHelp is the help for these flags.
const sourceHelp = `Of a folder it leaves out what a .gitignore names, binary files, symbolic links and the folders .git, .hg, .svn, .venv,
node_modules and vendor. A file that is given by name is always read. The entries of a baseline are not findings. GLOB is a pattern as in a
.gitignore: '*.md', docs/ or 'tests/**'.

A comment mesh:ignore accepts what is on its line. --write-baseline FILE accepts everything that is there today: it writes FILE, and the exit
status is 0. With --baseline FILE only what was added later is found.`

func (f *sourceFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.exclude, "exclude", nil, "leave out the files and folders of a pattern `GLOB`; repeatable")
	cmd.Flags().BoolVar(&f.allFiles, "all-files", false, "do not leave out files because of a .gitignore or of their names")
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "leave out what `FILE` has")
	cmd.Flags().StringVar(&f.writeBaseline, "write-baseline", "", "write what is found to `FILE`; exit status 0")
}

// changed returns the first of these flags that is set, or "".
func (f *sourceFlags) changed(cmd *cobra.Command) string {
	for _, name := range []string{"exclude", "all-files", "baseline", "write-baseline"} {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// open returns a selection of files, without leftOut, and the baseline of --baseline, which may be nil. command is scan or retired.
func (f *sourceFlags) open(command string, leftOut ...string) (*source.Selection, *source.Baseline, error) {
	selection, err := source.New(source.Options{Exclude: f.exclude, LeftOut: leftOut, All: f.allFiles, Not: []string{f.baseline, f.writeBaseline}})
	if err != nil {
		return nil, nil, usagef("--exclude %w", err)
	}
	if f.baseline == "" {
		return selection, nil, nil
	}
	known, err := source.OpenBaseline(f.baseline)
	if err != nil {
		return nil, nil, wrongUse(fileError(f.baseline, err))
	}
	if !known.Has(command == "scan") {
		return nil, nil, usagef("--baseline %s has no findings of mesh %s", f.baseline, command)
	}
	return selection, known, nil
}

// write writes the baseline of --write-baseline.
func (a *app) writeBaseline(file string, b *source.Baseline) error {
	if err := b.Write(file); err != nil {
		return wrongUse(err)
	}
	a.progress.Stop()
	_, err := fmt.Fprintf(a.errs, "mesh: wrote %s with %s\n", output.Line(file), plural(b.Len(), "finding"))
	return err
}

// accepted counts what was found and is no finding.
type accepted struct{ ignored, known int }

// notes returns the lines about what a search has left out.
func (c accepted) notes(selection *source.Selection) (lines []string) {
	if c.ignored > 0 {
		lines = append(lines, plural(c.ignored, "place")+" ignored by comments")
	}
	if c.known > 0 {
		lines = append(lines, plural(c.known, "place")+" known from the baseline")
	}
	total, names := 0, []string(nil)
	for _, count := range selection.LeftOut() {
		total += count.Files
		names = append(names, fmt.Sprint(count.Pattern, " ", costtable.Count(count.Files)))
	}
	if total > 0 {
		lines = append(lines, fmt.Sprintf("%s left out (--all-files): %s", plural(total, "file"), strings.Join(names, ", ")))
	}
	return lines
}

// printNotes writes the notes to stderr if the output is not a text.
func (a *app) printNotes(lines []string) {
	for _, line := range lines {
		a.note(line)
	}
}

// joinUnread returns the errors of files that cannot be read, which could have findings, too.
func joinUnread(failed []error) error {
	if failed == nil {
		return nil
	}
	return &usageError{errors.Join(failed...)}
}

// plural returns a number with its noun.
func plural(n int, noun string) string {
	return costtable.Number(n, noun, noun+"s")
}

// annotation writes an annotation of GitHub Actions. level is error or warning. A column of 0 is not known.
func annotation(w io.Writer, level, file string, line, column int, title, text string) error {
	place := fmt.Sprintf("file=%s,line=%d", propertyEscapes.Replace(file), line)
	if column > 0 {
		place += fmt.Sprintf(",col=%d", column)
	}
	_, err := fmt.Fprintf(w, "::%s %s,title=%s::%s\n", level, place, propertyEscapes.Replace(title), dataEscapes.Replace(text))
	return err
}

// The escapes of workflow commands, without which the name of a file could begin another one.
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

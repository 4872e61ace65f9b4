package codebase

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

// Reading shows how much of the files of a code base is done, which the command adds to the counter.
func Reading(a *app.App, files []File) (done *atomic.Int64) {
	done = new(atomic.Int64)
	a.Progress.Reading("scanning", func() int64 { return Size(files) }, done.Load)
	return done
}

// Flags are the flags of the commands that search a code base.
type Flags struct {
	Exclude                 []string
	allFiles                bool
	baseline, WriteBaseline string
}

// Help is the help for these flags.
const Help = `Of a folder it leaves out what a .gitignore names, binary files, symbolic links and the folders .git, .hg, .svn, .venv,
node_modules and vendor. A file that is given by name is always read. The entries of a baseline are not findings. GLOB is a pattern as in a
.gitignore: '*.md', docs/ or 'tests/**'.

A comment mesh:ignore accepts what is on its line. --write-baseline FILE accepts everything that is there today: it writes FILE, and the exit
status is 0. With --baseline FILE only what was added later is found.`

// Add adds the flags to a command.
func (f *Flags) Add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.Exclude, "exclude", nil, "leave out the files and folders of a pattern `GLOB`; repeatable")
	cmd.Flags().BoolVar(&f.allFiles, "all-files", false, "do not leave out files because of a .gitignore or of their names")
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "leave out what `FILE` has")
	cmd.Flags().StringVar(&f.WriteBaseline, "write-baseline", "", "write what is found to `FILE`; exit status 0")
}

// Changed returns the first of these flags that is set, or "".
func (f *Flags) Changed(cmd *cobra.Command) string {
	for _, name := range []string{"exclude", "all-files", "baseline", "write-baseline"} {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// Open returns a selection of files, without leftOut, and the baseline of --baseline, which may be nil. command is scan or retired.
func (f *Flags) Open(command string, leftOut ...string) (*Selection, *Baseline, error) {
	selection, err := New(Options{Exclude: f.Exclude, LeftOut: leftOut, All: f.allFiles, Not: []string{f.baseline, f.WriteBaseline}})
	if err != nil {
		return nil, nil, exit.Usagef("--exclude %w", err)
	}
	if f.baseline == "" {
		return selection, nil, nil
	}
	known, err := OpenBaseline(f.baseline)
	if err != nil {
		return nil, nil, exit.WrongUse(exit.FileError(f.baseline, err))
	}
	if !known.Has(command == "scan") {
		return nil, nil, exit.Usagef("--baseline %s has no findings of mesh %s", f.baseline, command)
	}
	return selection, known, nil
}

// WriteBaseline writes the baseline of --write-baseline.
func WriteBaseline(a *app.App, file string, b *Baseline) error {
	if err := b.Write(file); err != nil {
		return exit.WrongUse(err)
	}
	a.Progress.Stop()
	_, err := fmt.Fprintf(a.Errs, "mesh: wrote %s with %s\n", output.Line(file), output.Plural(b.Len(), "finding"))
	return err
}

// Accepted counts what was found and is no finding.
type Accepted struct{ Ignored, Known int }

// Notes returns the lines about what a search has left out.
func (c Accepted) Notes(selection *Selection) (lines []string) {
	if c.Ignored > 0 {
		lines = append(lines, output.Plural(c.Ignored, "place")+" ignored by comments")
	}
	if c.Known > 0 {
		lines = append(lines, output.Plural(c.Known, "place")+" known from the baseline")
	}
	total, names := 0, []string(nil)
	for _, count := range selection.LeftOut() {
		total += count.Files
		names = append(names, fmt.Sprint(count.Pattern, " ", table.Count(count.Files)))
	}
	if total > 0 {
		lines = append(lines, fmt.Sprintf("%s left out (--all-files): %s", output.Plural(total, "file"), strings.Join(names, ", ")))
	}
	return lines
}

// PrintNotes writes the notes to stderr if the output is not a text.
func PrintNotes(a *app.App, lines []string) {
	for _, line := range lines {
		a.Note(line)
	}
}

// JoinUnread returns the errors of files that cannot be read, which could have findings, too.
func JoinUnread(failed []error) error {
	if failed == nil {
		return nil
	}
	return exit.WrongUse(errors.Join(failed...))
}

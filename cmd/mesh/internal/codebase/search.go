package codebase

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

// Search searches files and collects findings.
type Search[T any] struct {
	// Found has the findings that neither a comment nor the baseline accepts, by file.
	Found []T
	// Texts counts searched texts. Unread has the errors for unreadable files.
	Texts  int
	Unread []error
	// InFolder reports whether any text is from a directory, rather than a file named by the
	// user.
	InFolder bool

	app            *app.App
	flags          *Flags
	selection      *selection
	known, written *baseline
	// findings accepted by comments, and by the baseline
	ignored, accepted int
}

// Match is a finding in a text.
type Match[T any] struct {
	Value T
	// Ignored reports whether a comment accepts it.
	Ignored bool
	// Entry identifies it in a baseline; nil if no baseline accepts it.
	Entry *Entry
}

// NewSearch returns a search for command, which is scan or retired. Files that match
// leftOut are only counted, unless they were named.
func NewSearch[T any](a *app.App, f *Flags, command string, leftOut ...string) (*Search[T], error) {
	s := &Search[T]{Found: []T{}, app: a, flags: f, written: newBaseline(f.writeBaseline)}
	var err error
	if s.selection, err = f.selection(leftOut); err != nil {
		return nil, exit.Usagef("--exclude %w", err)
	}
	if f.baseline == "" {
		return s, nil
	}
	if s.known, err = openBaseline(f.baseline); err != nil {
		return nil, exit.WrongUse(exit.FileError(f.baseline, err))
	}
	if !s.known.has(command == "scan") {
		return nil, exit.Usagef("--baseline %s has no mesh %s findings", f.baseline, command)
	}
	return s, nil
}

// Add adds a text's findings.
func (s *Search[T]) Add(matches []Match[T]) {
	s.Texts++
	for _, m := range matches {
		switch {
		case m.Ignored:
			s.ignored++
		case m.Entry != nil && s.isKnown(*m.Entry):
			s.accepted++
		default:
			s.Found = append(s.Found, m.Value)
		}
	}
}

func (s *Search[T]) isKnown(e Entry) bool {
	s.written.add(e)
	return s.known != nil && s.known.knows(e)
}

// Files searches paths in parallel and adds their findings in file order. A binary file
// is searched only if it was named and binary is true.
func (s *Search[T]) Files(paths []string, binary bool, find func(file, text string) []Match[T]) {
	files := s.selection.files(paths)
	defer s.selection.close()
	var bytes int64
	for i := range files {
		bytes += files[i].size
	}
	var done atomic.Int64
	s.app.Progress.Reading("scanning", func() int64 { return bytes }, done.Load)
	matches := make([][]Match[T], len(files))
	var searches sync.WaitGroup
	var oneLarge sync.Mutex
	search := func(i int, buffer []byte) {
		f := &files[i]
		if f.size > large {
			oneLarge.Lock()
			defer oneLarge.Unlock()
		}
		if text := f.read(binary, buffer); f.isText {
			matches[i] = find(f.path, text)
		}
		done.Add(f.size)
	}
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		searches.Go(func() {
			buffer := make([]byte, 64<<10)
			for i := next.Add(1); i <= int64(len(files)); i = next.Add(1) {
				search(int(i-1), buffer)
			}
		})
	}
	searches.Wait()
	for i, f := range files {
		switch {
		case f.err != nil:
			s.Unread = append(s.Unread, exit.FileError(f.path, f.err))
		case f.isText:
			s.Add(matches[i])
			s.InFolder = s.InFolder || f.in != nil
		default:
			s.selection.leave(isBinary, false)
		}
	}
}

// UnreadError returns an error if files were unreadable, since they could have findings,
// too.
func (s *Search[T]) UnreadError() error { return exit.WrongUse(errors.Join(s.Unread...)) }

// IsEmpty reports whether there was nothing to search although no file was excluded by
// name.
func (s *Search[T]) IsEmpty() bool {
	return s.Texts == 0 && s.Unread == nil && !s.selection.byName && len(s.flags.exclude) == 0
}

// Notes returns lines about accepted findings.
func (s *Search[T]) Notes() (lines []string) {
	if s.ignored > 0 {
		lines = append(lines, output.Plural(s.ignored, "place")+" ignored by comments")
	}
	if s.accepted > 0 {
		lines = append(lines, output.Plural(s.accepted, "place")+" known from the baseline")
	}
	if s.strange() {
		lines = append(lines, "no file of the baseline was searched; its paths start at its own directory, "+output.Line(s.known.folder))
	}
	return lines
}

// strange reports whether there are findings, but only in files outside the baseline's
// directory, none of which it names.
func (s *Search[T]) strange() bool {
	if s.known == nil || s.accepted > 0 || len(s.Found) == 0 {
		return false
	}
	named := map[string]bool{}
	for e, n := range s.known.counts {
		if n > 0 { // unknown findings have negative counts
			named[e.File] = true
		}
	}
	return len(named) > 0 && !slices.ContainsFunc(s.selection.selected, func(f file) bool {
		path := s.known.path(f.path)
		return named[path] || filepath.IsLocal(path)
	})
}

// Accepting says how to accept findings; print it after them.
const Accepting = "A comment mesh:ignore accepts the findings on its line; a baseline (--write-baseline) accepts all that there are."

// LeftOut returns a line that counts what wasn't searched, by reason, or nothing.
func (s *Search[T]) LeftOut() []string {
	total, reasons, counts := 0, []string(nil), s.selection.counts
	for _, reason := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) }) {
		total += counts[reason]
		reasons = append(reasons, reason+" "+table.Count(counts[reason]))
	}
	if total == 0 {
		return nil
	}
	things := output.Plural(total, "file")
	switch {
	case s.selection.folders && total == 1:
		things = "1 directory"
	case s.selection.folders:
		things = table.Count(total) + " files and directories"
	}
	if s.selection.optional {
		things += " left out (--all-files): "
	} else {
		things += " left out: "
	}
	return []string{things + strings.Join(reasons, ", ")}
}

// Print prints value in the -o format. For formats other than text, it prints notes to
// stderr.
func (s *Search[T]) Print(value any, notes []string, text func(io.Writer) error, annotations []Annotation) error {
	if s.app.Format != "text" {
		for _, line := range notes {
			s.app.Note(line)
		}
	}
	if s.app.Format == "github" {
		return writeAnnotations(s.app.Out, annotations)
	}
	return s.app.Print(value, text)
}

// WritesBaseline reports whether --write-baseline was given.
func (s *Search[T]) WritesBaseline() bool { return s.flags.writeBaseline != "" }

// WriteBaseline writes the baseline. Its error includes unreadable files.
func (s *Search[T]) WriteBaseline() error {
	if err := s.written.write(s.flags.writeBaseline); err != nil {
		return errors.Join(exit.WrongUse(err), s.UnreadError())
	}
	s.app.Note("wrote " + output.Line(s.flags.writeBaseline) + " with " + output.Plural(s.written.size(), "finding"))
	return s.UnreadError()
}

// Position is a place in a text.
type Position struct {
	// Line and Column count from 1. Columns are characters; an invalid byte is one.
	Line, Column int
	// Ignored reports whether a comment accepts the line.
	Ignored bool

	text string
	at   int
}

// Begin returns the beginning of text.
func Begin(text string) Position { return Position{Line: 1, text: text} }

// Move moves the position forward to a byte index. It searches each line for comments
// only once, since a large file may be one line.
func (p *Position) Move(at int) {
	skipped := p.text[p.at:at]
	if begin := strings.LastIndexByte(skipped, '\n') + 1; begin > 0 || p.Column == 0 {
		p.Line += strings.Count(skipped, "\n")
		p.Column = 1
		p.Ignored = isIgnored(p.text[p.at+begin:])
		skipped = skipped[begin:]
	}
	p.Column += utf8.RuneCountInString(skipped)
	p.at = at
}

// mark is the comment that accepts findings on its line. Comment syntax depends on the
// language, so it may be anywhere in the line, but not within a word such as
// mesh:ignore-file.
var mark = regexp.MustCompile(`(?:^|[^\w:-])mesh:ignore(?:$|[^\w:-])`)

func isIgnored(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return mark.MatchString(line)
}

// Annotation is an error that GitHub Actions shows in a file. Column 0 is unknown.
type Annotation struct {
	File         string
	Line, Column int
	Title, Text  string
}

func writeAnnotations(w io.Writer, list []Annotation) error {
	var lines strings.Builder
	for _, a := range list {
		column := ""
		if a.Column > 0 {
			column = fmt.Sprintf(",col=%d", a.Column)
		}
		fmt.Fprintf(&lines, "::error file=%s,line=%d%s,title=%s::%s\n", property(a.File), a.Line, column, property(a.Title), output.Line(dataEscapes.Replace(a.Text)))
	}
	_, err := io.WriteString(w, lines.String())
	return err
}

// property escapes a value. People read logs on terminals, so a file name must not bring
// control characters.
func property(text string) string { return output.Line(propertyEscapes.Replace(text)) }

// workflow command escapes, without which a file name could begin another command
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

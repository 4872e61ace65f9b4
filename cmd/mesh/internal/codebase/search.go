package codebase

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
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

// Search searches files and collects what is found.
type Search[T any] struct {
	// Found has what neither a comment nor the baseline accepts, in the order of the files.
	Found []T
	// Texts is the number of texts that were searched, and Unread why others could not be read.
	Texts  int
	Unread []error
	// InFolder means that one of the texts was not given by name.
	InFolder bool

	app            *app.App
	flags          *Flags
	selection      *selection
	known, written *baseline
	// ignored and accepted are what comments and the baseline accept.
	ignored, accepted int
}

// Match is what was found at a place of a text.
type Match[T any] struct {
	Value T
	// Ignored means that a comment accepts it.
	Ignored bool
	// Entry is what a baseline has of it, or nil if no baseline accepts it.
	Entry *Entry
}

// NewSearch returns a search with the flags of a command, which is scan or retired. Files of leftOut in folders are counted only.
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
		return nil, exit.Usagef("--baseline %s has no findings of mesh %s", f.baseline, command)
	}
	return s, nil
}

// Add adds what was found in a text.
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

// Files adds what find finds in the files and folders of paths. It searches as many files at a time as there are processors. A binary file
// is searched if it was given by name and binary is true.
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
	buffers := make(chan []byte, runtime.GOMAXPROCS(0)) // of the searches that do not run
	for range cap(buffers) {
		buffers <- make([]byte, 64<<10)
	}
	for i := range files {
		buffer := <-buffers
		searches.Go(func() {
			f := &files[i]
			if f.size > large {
				oneLarge.Lock()
				defer oneLarge.Unlock()
			}
			if text := f.read(binary, buffer); f.isText {
				matches[i] = find(f.path, text)
			}
			done.Add(f.size)
			buffers <- buffer
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

// UnreadError returns the errors of the files that cannot be read, which could have findings, too.
func (s *Search[T]) UnreadError() error { return exit.WrongUse(errors.Join(s.Unread...)) }

// IsEmpty reports whether the paths have no text, and none was left out.
func (s *Search[T]) IsEmpty() bool {
	return s.Texts == 0 && s.Unread == nil && !s.selection.byName && len(s.flags.exclude) == 0
}

// Notes returns the lines about what was found and accepted.
func (s *Search[T]) Notes() (lines []string) {
	if s.ignored > 0 {
		lines = append(lines, output.Plural(s.ignored, "place")+" ignored by comments")
	}
	if s.accepted > 0 {
		lines = append(lines, output.Plural(s.accepted, "place")+" known from the baseline")
	}
	return lines
}

// LeftOut returns the line that counts what was not searched, by reason, or none.
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
		things = "1 folder"
	case s.selection.folders:
		things = table.Count(total) + " files and folders"
	}
	if s.selection.optional {
		things += " left out (--all-files): "
	} else {
		things += " left out: "
	}
	return []string{things + strings.Join(reasons, ", ")}
}

// Print prints a value in the format of -o: text has the notes, other formats have them on stderr.
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

// WritesBaseline reports whether the search only writes a baseline.
func (s *Search[T]) WritesBaseline() bool { return s.flags.writeBaseline != "" }

// WriteBaseline writes the baseline of --write-baseline. The error has those of the files that cannot be read, too.
func (s *Search[T]) WriteBaseline() error {
	if err := s.written.write(s.flags.writeBaseline); err != nil {
		return errors.Join(exit.WrongUse(err), s.UnreadError())
	}
	s.app.Note("wrote " + output.Line(s.flags.writeBaseline) + " with " + output.Plural(s.written.size(), "finding"))
	return s.UnreadError()
}

// Position is a place of a text.
type Position struct {
	// Line and Column count from 1. A column is a character; a byte that is not UTF-8 is one.
	Line, Column int
	// Ignored means that a comment accepts what is found on the line.
	Ignored bool

	text string
	at   int
}

// Begin returns a position that Move moves through a text.
func Begin(text string) Position { return Position{Line: 1, text: text} }

// Move moves the position to an index that is not before it. It searches each line for comments once: a line may be the whole of a large
// file.
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

// mark is a comment that accepts what is found on its line. What begins a comment depends on the language, so the mark may be anywhere in
// the line, but not in a longer word such as mesh:ignore-file.
var mark = regexp.MustCompile(`(?:^|[^\w:-])mesh:ignore(?:$|[^\w:-])`)

// isIgnored reports whether the first line of a text has the mark.
func isIgnored(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return mark.MatchString(line)
}

// Annotation is an error that GitHub Actions shows at a line of a file. A Column of 0 is not known.
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

// property returns the value of a property. The log of a run can be read on a terminal, which no name may control.
func property(text string) string { return output.Line(propertyEscapes.Replace(text)) }

// The escapes of workflow commands, without which the name of a file could begin another one.
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

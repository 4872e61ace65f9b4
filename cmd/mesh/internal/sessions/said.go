package sessions

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// Said collects what a command says about session files: notes, and errors for unreadable
// lines and files.
type Said struct {
	Notes []string

	usual []string
	lines map[string]bool // errors; a file may be read several times
	whole int             // those about a whole file or directory
	files map[string]bool // with unreadable lines
	first []error
	told  bool
}

// Listen collects r's notes until Short or Tell is called. If strict is set, unreadable
// lines remain errors. Otherwise they are collected, too, and Rest collects errors about
// files in the usual directories.
func (s *Said) Listen(r *Reader, strict bool, usual []string) {
	r.OnNote = func(text string) {
		if !s.told && !slices.Contains(s.Notes, text) {
			s.Notes = append(s.Notes, text)
		}
	}
	r.OnCopies = func(c calls.Copies) { r.OnNote(c.String()) } // every fork has copies
	if strict {
		return
	}
	s.usual, s.files, s.lines = usual, map[string]bool{}, map[string]bool{}
	r.OnError = func(err *calls.LineError) { s.add(err.File, err) }
}

const mostErrors = 100

func (s *Said) add(file string, err error) {
	if s.told || s.lines[err.Error()] {
		return
	}
	s.lines[err.Error()] = true
	if line := (*calls.LineError)(nil); !errors.As(err, &line) || errors.Is(err, errDatabase) || errors.Is(err, errPacked) {
		s.whole++
	} else {
		s.files[file] = true
	}
	if len(s.first) < mostErrors {
		s.first = append(s.first, err)
	}
}

// Rest returns err without the errors about usual directories, which it collects. If
// Listen was strict, it returns err unchanged.
func (s *Said) Rest(err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || s.files == nil {
		return err
	}
	var rest []error
	for _, err := range joined.Unwrap() {
		if file := fileOf(err); s.isUsual(file) {
			s.add(file, err)
		} else {
			rest = append(rest, err)
		}
	}
	return errors.Join(rest...)
}

func fileOf(err error) string {
	var line *calls.LineError
	var path *fs.PathError
	switch {
	case errors.As(err, &line):
		return line.File
	case errors.As(err, &path):
		return path.Path
	}
	return ""
}

func (s *Said) isUsual(file string) bool {
	for _, folder := range s.usual {
		if file == folder || strings.HasPrefix(file, folder+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

func (s *Said) unread() string {
	var parts []string
	if n := len(s.lines) - s.whole; n > 0 {
		parts = append(parts, table.Number(n, "line", "lines")+" of "+table.Number(len(s.files), "file", "files"))
	}
	if s.whole > 0 {
		parts = append(parts, table.Number(s.whole, "file or directory", "files or directories"))
	}
	return strings.Join(parts, " and ") + " cannot be read"
}

// Short returns a line that counts notes and unreadable lines and points to mesh usage
// --explain, or "" if there's nothing to say.
func (s *Said) Short() string { return s.line("mesh usage --explain") }

// line is like Short; more is the command or flag that shows the details.
func (s *Said) line(more string) string {
	s.told = true
	var parts []string
	if n := len(s.Notes); n > 0 {
		parts = append(parts, table.Number(n, "note", "notes")+" about sessions")
	}
	if len(s.lines) > 0 {
		parts = append(parts, s.unread())
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, ", ") + " (" + more + ")"
}

// Tell calls note with a summary or, if explain is set, with every error and note. rename
// restores command-line names in errors.
func (s *Said) Tell(explain bool, rename func(error) error, note func(string)) {
	switch text := s.line("--explain"); {
	case text == "":
	case !explain && len(s.Notes) == 1 && len(s.lines) == 0:
		note(s.Notes[0])
	case !explain:
		note(text)
	default:
		s.explain(rename, note)
	}
}

func (s *Said) explain(rename func(error) error, note func(string)) {
	for _, err := range s.first {
		note(strings.TrimPrefix(rename(err).Error(), "calls: "))
	}
	if len(s.lines) > len(s.first) {
		note(s.unread())
	}
	for _, text := range s.Notes {
		note(text)
	}
}

type notes struct {
	all  []string
	seen map[string]bool
	more int
}

const mostNotes = 100

func (n *notes) add(program, session, format string, args ...any) {
	text := fmt.Sprintf("%s, session %s: ", program, session) + fmt.Sprintf(format, args...)
	switch {
	case n.seen[text]:
	case len(n.all) == mostNotes:
		n.more++
	default:
		if n.seen == nil {
			n.seen = map[string]bool{}
		}
		n.seen[text], n.all = true, append(n.all, text)
	}
}

func (n *notes) report(on func(string)) {
	if on == nil {
		return
	}
	for _, text := range n.all {
		on(text)
	}
	if n.more > 0 {
		on(fmt.Sprintf("%d more sessions differ from their totals", n.more))
	}
}

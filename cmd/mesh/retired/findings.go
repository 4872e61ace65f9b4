package retired

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// sourceModel is a JSON row for mesh retired --scan. The embedded place is the first in
// Places.
type sourceModel struct {
	place
	retirement
	Count int `json:"count"`
	// Fails means that this model sets exit status 1.
	Fails  bool    `json:"fails"`
	Places []place `json:"places"`
}

// findings has failing models first, the soonest first.
type findings struct {
	// found is sorted like list.
	found  []mention
	list   []sourceModel
	within string
	texts  int
	asOf   string // when the dates were last updated
}

// newFindings sorts found. soon is --within, and texts counts the files.
func newFindings(found []mention, soon time.Duration, texts int, asOf string) *findings {
	order := map[bool]int{true: 0, false: 1}
	slices.SortStableFunc(found, func(x, y mention) int {
		return cmp.Or(cmp.Compare(order[x.fails], order[y.fails]), cmp.Compare(cmp.Or(x.Date, "9999"), cmp.Or(y.Date, "9999")), cmp.Compare(x.Model, y.Model))
	})
	r := &findings{found, []sourceModel{}, output.Plural(int(soon/(24*time.Hour)), "day"), texts, asOf}
	for _, m := range found {
		last := len(r.list) - 1
		if last < 0 || r.list[last].Model != m.Model {
			r.list = append(r.list, sourceModel{place: m.place, retirement: m.retirement, Fails: m.fails})
			last++
		}
		r.list[last].Count++
		r.list[last].Places = append(r.list[last].Places, m.place)
	}
	return r
}

func (r *findings) fails() bool { return len(r.found) > 0 && r.found[0].fails }

func (o *Options) printSources(s *codebase.Search[mention], r *findings) error {
	notes := s.Notes()
	if note := r.testsNote(); note != "" {
		notes = append(notes, note)
	}
	return s.Print(r.list, slices.Concat(notes, s.LeftOut()), func(w io.Writer) error { return r.text(w, notes, s.LeftOut(), o.all) }, r.annotations())
}

// when returns state, date and replacement, such as "retires 2027-01-14 -> gpt-6-luna".
func (m *retirement) when() string {
	text := string(m.State)
	switch m.State {
	case models.StateRetiring:
		text = "retires " + m.Date
	case models.StateRetired:
		text += " " + m.Date
	case models.StateDeprecated:
		text += ", without a date"
	default: // unknown
	}
	if m.Replacement != "" {
		text += " -> " + m.Replacement
	}
	return text
}

func (r *findings) text(w io.Writer, notes, leftOut []string, all bool) error {
	var lines []string
	width := output.Width(w)
	wrapped := func(line string) string { return output.Wrap(line, "    ", width) }
	for i, m := range r.list {
		if !m.Fails && (i == 0 || r.list[i-1].Fails) {
			if i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, "Not failing: no retirement within "+r.within+".")
		}
		lines = append(lines, output.Heading(w, output.Mark(w, wrapped(m.Model+"  "+m.when()+", "+output.Plural(m.Count, "place")))))
		for _, line := range placeLines(m.Places, all) {
			lines = append(lines, wrapped(line))
		}
	}
	if len(r.list) > 0 {
		lines = append(lines, "", output.Mark(w, wrapped(r.summary())))
	}
	notes = append(notes, output.Plural(r.texts, "file")+"; dates as of "+r.asOf)
	for _, line := range append(notes, leftOut...) {
		lines = append(lines, wrapped(line))
	}
	if r.fails() {
		lines = append(lines, wrapped(codebase.Accepting))
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

func (r *findings) summary() string {
	soon, later := "retiring within "+r.within, "retiring later"
	files, counts := map[string]bool{}, map[string]int{}
	for _, m := range r.found {
		files[m.File] = true
	}
	for _, m := range r.list {
		switch {
		case m.State != models.StateRetiring:
			counts[string(m.State)]++
		case m.Fails:
			counts[soon]++
		default:
			counts[later]++
		}
	}
	var parts []string
	for _, state := range []string{"retired", soon, later, "deprecated", "unknown"} {
		if counts[state] > 0 {
			parts = append(parts, table.Count(counts[state])+" "+state)
		}
	}
	return fmt.Sprintf("%s in %s of %s: %s", output.Plural(len(r.list), "model"), output.Plural(len(r.found), "place"), output.Plural(len(files), "file"), strings.Join(parts, ", "))
}

// Limits without --all: files per model, and lines per file.
const (
	maxFiles = 3
	maxLines = 5
)

// placeLines returns a line per file. Without all, the last line counts the rest.
func placeLines(places []place, all bool) (lines []string) {
	for begin, end := 0, 0; begin < len(places); begin = end {
		if !all && len(lines) == maxFiles {
			return append(lines, "  and "+output.Plural(len(places)-begin, "more place")+" (--all)")
		}
		for end < len(places) && places[end].File == places[begin].File {
			end++
		}
		lines = append(lines, "  "+output.Line(places[begin].File)+":"+numbers(places[begin:end], all))
	}
	return lines
}

func numbers(places []place, all bool) string {
	var texts []string
	for _, p := range places {
		texts = append(texts, strconv.Itoa(p.Line))
	}
	texts = slices.Compact(texts)
	if !all && len(texts) > maxLines {
		texts = append(texts[:maxLines], "… (--all)")
	}
	return strings.Join(texts, ",")
}

// annotations covers only failing places: others would repeat at every run.
func (r *findings) annotations() (list []codebase.Annotation) {
	for _, m := range r.found {
		if m.fails {
			list = append(list, codebase.Annotation{File: m.File, Line: m.Line, Title: string(m.State) + " model", Text: m.Model + " " + m.when()})
		}
	}
	return list
}

// testsNote suggests --exclude patterns if most places are in tests, else "".
func (r *findings) testsNote() string {
	inTests, flags := 0, ""
	for _, m := range r.found {
		pattern := testPattern(m.File)
		if pattern == "" {
			continue
		}
		inTests++
		if flag := " --exclude '" + pattern + "'"; !strings.Contains(flags, flag) {
			flags += flag
		}
	}
	if 2*inTests <= len(r.found) {
		return ""
	}
	return fmt.Sprintf("%d of %s are in tests; leave them out with%s", inTests, output.Plural(len(r.found), "place"), flags)
}

// testPattern returns the first pattern that matches, or "".
func testPattern(file string) string {
	file = "/" + filepath.ToSlash(file)
	for _, pattern := range []string{"test/", "tests/", "__tests__/", "*_test.*", "test_*", "*.test.*", "*.spec.*"} {
		if isName, _ := path.Match(pattern, path.Base(file)); isName || strings.HasSuffix(pattern, "/") && strings.Contains(file, "/"+pattern) {
			return pattern
		}
	}
	return ""
}

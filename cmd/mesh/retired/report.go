package retired

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

// sourceModel is one row of mesh retired --scan: a model, and the first of its places before all of them.
type sourceModel struct {
	place
	retirement
	Count int `json:"count"`
	// Fails means that the model is why the exit status is 1.
	Fails  bool    `json:"fails"`
	Places []place `json:"places"`
}

// sourceReport has the models that a code base names.
type sourceReport struct {
	check            checker
	failUnknown, all bool
	selection        *codebase.Selection
	known, written   *codebase.Baseline

	list   []sourceModel
	files  int
	unread []error
	codebase.Accepted
}

// add adds the models of files, sorted: first those that fail, of which the soonest is first.
func (r *sourceReport) add(files []readSource) {
	rows := map[string]int{}
	for _, file := range files {
		if file.err != nil {
			r.unread = append(r.unread, file.err)
		}
		if file.isText {
			r.files++
		}
		for _, m := range file.mentions {
			r.addMention(rows, m)
		}
	}
	slices.SortStableFunc(r.list, func(x, y sourceModel) int {
		if x.Fails != y.Fails {
			return map[bool]int{true: -1, false: 1}[x.Fails]
		}
		return cmp.Or(cmp.Compare(cmp.Or(x.Date, "9999"), cmp.Or(y.Date, "9999")), cmp.Compare(x.Model, y.Model))
	})
}

// addMention adds a place to the row of its model. rows has the indexes of the models.
func (r *sourceReport) addMention(rows map[string]int, m mention) {
	if m.ignored {
		r.Ignored++
		return
	}
	fails := r.check.finds(m.retirement) || r.failUnknown && m.State == models.StateUnknown
	if fails { // a baseline must not accept what fails only later
		r.written.Add(codebase.Finding{File: r.written.In(m.File), What: m.Model})
		if r.known != nil && r.known.Knows(codebase.Finding{File: r.known.In(m.File), What: m.Model}) {
			r.Accepted.Known++
			return
		}
	}
	i, ok := rows[m.Model]
	if !ok {
		i = len(r.list)
		rows[m.Model] = i
		r.list = append(r.list, sourceModel{place: m.place, retirement: m.retirement, Fails: fails})
	}
	r.list[i].Count++
	r.list[i].Places = append(r.list[i].Places, m.place)
}

func (r *sourceReport) fails() bool { return len(r.list) > 0 && r.list[0].Fails }

// when returns the state of a model with its date and replacement, such as "retires 2027-01-14 -> gpt-6-luna".
func (m *sourceModel) when() string {
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

// text writes each model with its places, and a summary.
func (r *sourceReport) text(w io.Writer) error {
	var lines []string
	width := output.Width(w)
	wrapped := func(line string) string { return output.Wrap(line, "    ", width) }
	for i := range r.list {
		m := &r.list[i]
		if i > 0 && r.list[i-1].Fails && !m.Fails {
			lines = append(lines, "")
		}
		if !m.Fails && (i == 0 || r.list[i-1].Fails) {
			lines = append(lines, "Not failing: no retirement within "+r.within()+".")
		}
		lines = append(lines, output.Heading(w, output.Mark(w, wrapped(m.Model+"  "+m.when()+", "+output.Plural(m.Count, "place")))))
		for _, line := range placeLines(m.Places, r.all) {
			lines = append(lines, wrapped(line))
		}
	}
	if len(r.list) > 0 {
		lines = append(lines, "", output.Mark(w, wrapped(r.summary())))
	}
	for _, line := range append(r.notes(), fmt.Sprintf("%s; dates as of %s", output.Plural(r.files, "file"), models.RetirementsAsOf())) {
		lines = append(lines, wrapped(line))
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

func (r *sourceReport) within() string { return output.Plural(int(r.check.soon/(24*time.Hour)), "day") }

// summary counts the models by their state.
func (r *sourceReport) summary() string {
	places, files, counts := 0, map[string]bool{}, map[string]int{}
	for i := range r.list {
		m := &r.list[i]
		places += m.Count
		for _, p := range m.Places {
			files[p.File] = true
		}
		counts[r.stateOf(m)]++
	}
	var parts []string
	for _, state := range []string{"retired", r.soon(), "retiring later", "deprecated", "unknown"} {
		if counts[state] > 0 {
			parts = append(parts, table.Count(counts[state])+" "+state)
		}
	}
	return fmt.Sprintf("%s in %s of %s: %s", output.Plural(len(r.list), "model"), output.Plural(places, "place"), output.Plural(len(files), "file"), strings.Join(parts, ", "))
}

func (r *sourceReport) soon() string { return "retiring within " + r.within() }

func (r *sourceReport) stateOf(m *sourceModel) string {
	switch {
	case m.State != models.StateRetiring:
		return string(m.State)
	case m.Fails:
		return r.soon()
	default:
		return "retiring later"
	}
}

// How many files of a model, and lines of a file, are printed without --all.
const (
	maxFiles = 3
	maxLines = 5
)

// placeLines returns a line for each file, and without all one for those that are too many.
func placeLines(places []place, all bool) (lines []string) {
	files := 0
	for begin := 0; begin < len(places); {
		end := begin
		for end < len(places) && places[end].File == places[begin].File {
			end++
		}
		if files++; all || files <= maxFiles {
			lines = append(lines, "  "+output.Line(places[begin].File)+":"+numbers(places[begin:end], all))
		} else if files == maxFiles+1 {
			lines = append(lines, "  and "+output.Plural(len(places)-begin, "more place")+" (--all)")
		}
		begin = end
	}
	return lines
}

// numbers joins the numbers of lines.
func numbers(places []place, all bool) string {
	var texts []string
	for _, p := range places {
		if text := fmt.Sprint(p.Line); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if !all && len(texts) > maxLines {
		return strings.Join(texts[:maxLines], ",") + ",… (--all)"
	}
	return strings.Join(texts, ",")
}

// annotations writes an error for each place that fails. What does not fail yet would repeat at every run.
func (r *sourceReport) annotations(w io.Writer) error {
	for i := range r.list {
		m := &r.list[i]
		if !m.Fails {
			break
		}
		for _, p := range m.Places {
			if err := codebase.Annotation(w, "error", p.File, p.Line, 0, string(m.State)+" model", m.Model+" "+m.when()); err != nil {
				return err
			}
		}
	}
	return nil
}

// notes returns the lines after the models: what was left out, and what could be.
func (r *sourceReport) notes() []string {
	lines := r.Accepted.Notes(r.selection)
	if note := r.testsNote(); note != "" {
		lines = append(lines, note)
	}
	return lines
}

// testsNote suggests patterns for --exclude if most places are in tests; else it is "".
func (r *sourceReport) testsNote() string {
	total, inTests, flags := 0, 0, ""
	for i := range r.list {
		total += r.list[i].Count
		for _, p := range r.list[i].Places {
			pattern := testPattern(p.File)
			if pattern == "" {
				continue
			}
			inTests++
			if flag := " --exclude '" + pattern + "'"; !strings.Contains(flags, flag) {
				flags += flag
			}
		}
	}
	if 2*inTests <= total {
		return ""
	}
	return fmt.Sprintf("%d of %s are in tests; leave them out with%s", inTests, output.Plural(total, "place"), flags)
}

// testPattern returns the pattern of tests that a file matches, or "".
func testPattern(file string) string {
	dir, base := path.Split(filepath.ToSlash(file))
	for _, folder := range []string{"test", "tests", "__tests__"} {
		if strings.Contains("/"+dir, "/"+folder+"/") {
			return folder + "/"
		}
	}
	for _, pattern := range []string{"*_test.*", "test_*", "*.test.*", "*.spec.*"} {
		if ok, _ := path.Match(pattern, base); ok {
			return pattern
		}
	}
	return ""
}

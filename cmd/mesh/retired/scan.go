package retired

import (
	"bufio"
	"errors"
	"os"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// generated are patterns of files with many ids that are not edited: lock files, recordings and the data of tests.
var generated = []string{"*.lock", "*.lock.yml", "*-lock.*", "**/cassettes/**", "**/__snapshots__/**", "**/fixtures/**", "**/testdata/**"}

// place is a line of a file.
type place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// mention is a model that a file names.
type mention struct {
	place
	retirement
	ignored bool
}

// readSource is what a file names.
type readSource struct {
	mentions []mention
	isText   bool
	err      error
}

// scanSources prints the models that files name and that are retired, retiring or deprecated, and with --fail-unknown the unknown
// ones. A file that cannot be read could name a retired model: it is reported after the models of the
// others, and the status is exitUsage.
func (o *Options) scanSources(check checker) error {
	selection, known, err := o.sources.Open("retired", generated...)
	if err != nil {
		return err
	}
	r := sourceReport{check: check, failUnknown: o.failUnknown, all: o.all, selection: selection, list: []sourceModel{}}
	r.known, r.written = known, codebase.NewBaseline(o.sources.WriteBaseline)
	list := selection.Files(o.args)
	r.add(codebase.Each(list, codebase.Reading(o.App, list), func() func(codebase.File) readSource {
		s := sourceScan{check: check, withUnknown: o.failUnknown, seen: map[string]retirement{}}
		return s.read
	}))
	o.Progress.Stop()
	if r.files == 0 && r.unread == nil && len(selection.LeftOut())+len(o.sources.Exclude) == 0 {
		return exit.Usagef("there is no text file to scan")
	}
	if o.sources.WriteBaseline != "" {
		return errors.Join(codebase.WriteBaseline(o.App, o.sources.WriteBaseline, r.written), codebase.JoinUnread(r.unread))
	}
	if err := o.printSources(&r); err != nil {
		return err
	}
	if err := codebase.JoinUnread(r.unread); err != nil || !r.fails() {
		return err
	}
	return exit.ErrFound
}

// printSources prints a report in the format of -o.
func (o *Options) printSources(r *sourceReport) error {
	if o.Format != "text" {
		codebase.PrintNotes(o.App, r.notes())
	}
	if o.Format == "github" {
		return r.annotations(o.Out)
	}
	return o.Print(r.list, r.text)
}

// sourceScan looks for models in source files.
type sourceScan struct {
	check       checker
	withUnknown bool
	seen        map[string]retirement // the state of each word so far: a repository repeats its words
}

// read returns the models of a file. A binary file has none.
func (s *sourceScan) read(file codebase.File) (found readSource) {
	if file.Err == nil {
		found, file.Err = s.words(file.Path)
	}
	if errors.Is(file.Err, ErrBinary) {
		return readSource{}
	}
	if file.Err != nil {
		found.err = exit.FileError(file.Path, file.Err)
	}
	return found
}

func (s *sourceScan) words(name string) (readSource, error) {
	found := readSource{isText: true}
	f, err := os.Open(name) //nolint:gosec // the user names the file or its folder
	if err != nil {
		return readSource{}, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	if head, _ := in.Peek(in.Size()); codebase.IsBaseline(string(head)) {
		return found, nil
	}
	for word, err := range Read(in) {
		if err != nil {
			return found, err
		}
		if r := s.state(word); s.reports(r, word) {
			found.mentions = append(found.mentions, mention{place{name, word.Line}, r, word.Ignored})
		}
	}
	return found, nil
}

// maxSeen bounds the words that are remembered: a file with data can have millions.
const maxSeen = 100_000

// state returns the state of the model that a word names.
func (s *sourceScan) state(word Word) retirement {
	r, ok := s.seen[word.Text]
	if !ok {
		if len(s.seen) == maxSeen {
			clear(s.seen)
		}
		r = s.model(word)
		s.seen[word.Text] = r
	}
	return r
}

// model returns the state of the model that a word names, without the prefix of a provider: openai/gpt-4o is the same model as gpt-4o.
func (s *sourceScan) model(word Word) retirement {
	r := s.check.first(word.IDs())
	if plain := s.check.model(r.Model[strings.LastIndexByte(r.Model, '/')+1:]); plain.Matched == r.Matched {
		return plain
	}
	return r
}

// reports reports whether a model is printed. An unknown one must look like an id: many words begin like the models of a provider,
// as gpt-tokenizer does.
func (s *sourceScan) reports(r retirement, word Word) bool {
	switch r.State {
	case models.StateListed:
		return false
	case models.StateUnknown:
		return s.withUnknown && r.Provider != "" && word.Value && strings.ContainsAny(word.Text, "0123456789")
	default:
		return true
	}
}

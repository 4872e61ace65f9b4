package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mentions"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// mention is a model that a file names.
type mention struct {
	File string `json:"file"`
	Line int    `json:"line"`
	retirement
}

// sourceScan looks for models in source files.
type sourceScan struct {
	check       checker
	withUnknown bool
	known       map[string]retirement // of each word so far: a repository repeats its words
	list        []mention
	files       int
}

// scanSources prints the models that files name and that are retired, retiring or deprecated, and with --fail-unknown the unknown
// ones. A file that cannot be read could name a retired model: it is reported after those of the
// others, and the status is that of wrong use.
func (a *app) scanSources(check checker, paths []string, failUnknown bool) error {
	s := sourceScan{check: check, withUnknown: failUnknown, known: map[string]retirement{}, list: []mention{}}
	var unread []error
	for file, err := range mentions.Files(paths) {
		if err == nil {
			err = s.file(file)
		}
		if err != nil {
			unread = append(unread, fmt.Errorf("%s: %w", file, withoutPath(err)))
		}
	}
	if s.files == 0 && unread == nil {
		return usagef("there is no text file to scan")
	}
	if err := a.print(s.list, s.table); err != nil {
		return err
	}
	if unread != nil {
		return &usageError{errors.Join(unread...)}
	}
	for _, m := range s.list {
		if check.finds(m.retirement) || failUnknown && m.State == models.StateUnknown {
			return errFound
		}
	}
	return nil
}

// file adds the models of a file, unless it is binary.
func (s *sourceScan) file(name string) error {
	f, err := os.Open(name) //nolint:gosec // the user names the file or its folder
	if err != nil {
		return err
	}
	defer f.Close()
	found := len(s.list)
	for word, err := range mentions.Read(f) {
		if errors.Is(err, mentions.ErrBinary) {
			s.list = s.list[:found]
			return nil
		}
		if err != nil {
			return err
		}
		if r := s.state(word); s.reports(r, word) {
			s.list = append(s.list, mention{name, word.Line, r})
		}
	}
	s.files++
	return nil
}

// maxKnown bounds the words that are remembered: a file with data can have millions.
const maxKnown = 100_000

// state returns the state of the model that a word names.
func (s *sourceScan) state(word mentions.Word) retirement {
	r, ok := s.known[word.Text]
	if !ok {
		if len(s.known) == maxKnown {
			clear(s.known)
		}
		r = s.model(word)
		s.known[word.Text] = r
	}
	return r
}

// model returns the first part of a word that is a model with a state, or else the word.
func (s *sourceScan) model(word mentions.Word) retirement {
	whole := s.check.model(word.Text)
	for _, part := range word.Parts() {
		if r := s.check.model(part); r.State != models.StateUnknown {
			return r
		}
	}
	return whole
}

// reports reports whether a model is printed. An unknown one must look like an id: many words begin like the models of a provider,
// as gpt-tokenizer does.
func (s *sourceScan) reports(r retirement, word mentions.Word) bool {
	switch r.State {
	case models.StateListed:
		return false
	case models.StateUnknown:
		return s.withUnknown && r.Provider != "" && word.Quoted && bytes.ContainsAny([]byte(word.Text), "0123456789")
	default:
		return true
	}
}

func (s *sourceScan) table(w io.Writer) error {
	rows := make([][]string, len(s.list))
	for i, m := range s.list {
		rows[i] = []string{fmt.Sprintf("%s:%d", m.File, m.Line), m.Model, string(m.State), output.Text(&m.Date), output.Text(&m.Replacement)}
	}
	if len(rows) > 0 {
		if err := output.Table(w, []string{"PLACE", "MODEL", "STATE", "DATE", "REPLACEMENT"}, rows); err != nil {
			return err
		}
	}
	files := "files"
	if s.files == 1 {
		files = "file"
	}
	_, err := fmt.Fprintf(w, "%d %s; dates as of %s\n", s.files, files, models.RetirementsAsOf())
	return err
}

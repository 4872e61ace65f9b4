package retired

import (
	"context"
	"strings"
	"sync"
	"time"

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

// mention is a model that a file names. It fails if it is why the exit status is 1.
type mention struct {
	place
	retirement
	fails bool
}

// scanSources prints the models that files name and that are retired, retiring or deprecated, and with --fail-unknown the unknown
// ones. A file that cannot be read could name a retired model: it is reported after the models of the
// others, and the status is exitUsage.
func (o *Options) scanSources(ctx context.Context, soon time.Duration) error {
	if len(o.args) == 0 {
		return exit.Usagef("--scan needs a folder or a file, such as .")
	}
	check, err := o.checker(ctx, soon)
	if err != nil {
		return err
	}
	s, err := codebase.NewSearch[mention](o.App, &o.sources, "retired", generated...)
	if err != nil {
		return err
	}
	known := &knownWords{checker: check, states: map[string]retirement{}}
	s.Files(o.args, false, func(file, text string) []codebase.Match[mention] { return o.mentionsIn(known, file, text) })
	if s.IsEmpty() {
		return exit.Usagef("there is no text file to scan")
	}
	if s.WritesBaseline() {
		return s.WriteBaseline()
	}
	r := newReport(s.Found, check.soon, s.Texts)
	if err := o.printSources(s, r); err != nil {
		return err
	}
	if err := s.UnreadError(); err != nil {
		return err
	}
	return exit.If(r.fails())
}

// mentionsIn returns the models that a text names. A baseline has none.
func (o *Options) mentionsIn(known *knownWords, file, text string) (list []codebase.Match[mention]) {
	if codebase.IsBaseline(text) {
		return nil
	}
	position := codebase.Begin(text)
	for word := range Words(text) {
		r := known.named(word)
		if !o.reports(r, word) {
			continue
		}
		position.Move(word.At)
		m := codebase.Match[mention]{Value: mention{place{file, position.Line}, r, known.finds(r) || r.State == models.StateUnknown}, Ignored: position.Ignored}
		if m.Value.fails { // a baseline must not accept what fails only later
			m.Entry = &codebase.Entry{File: file, What: r.Model}
		}
		list = append(list, m)
	}
	return list
}

// knownWords remembers the state of each word: a code base repeats its words.
type knownWords struct {
	checker
	mu     sync.Mutex
	states map[string]retirement
}

// maxKnown bounds the words that are remembered: a file of data can have millions.
const maxKnown = 100_000

func (k *knownWords) named(word Word) retirement {
	k.mu.Lock()
	r, ok := k.states[word.Text]
	k.mu.Unlock()
	if ok {
		return r
	}
	word.Text = strings.Clone(word.Text) // and not the text of the file
	r = k.checker.named(word)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.states) == maxKnown {
		clear(k.states)
	}
	k.states[word.Text] = r
	return r
}

// named returns the state of the model that a word names, without the prefix of a provider: openai/gpt-4o is the same model as gpt-4o.
func (c checker) named(word Word) retirement {
	r := c.first(word.IDs())
	if plain := c.model(r.Model[strings.LastIndexByte(r.Model, '/')+1:]); plain.Matched == r.Matched {
		return plain
	}
	return r
}

// reports reports whether a model is printed. An unknown one must look like an id: many words begin like the models of a provider,
// as gpt-tokenizer does.
func (o *Options) reports(r retirement, word Word) bool {
	switch r.State {
	case models.StateListed:
		return false
	case models.StateUnknown:
		return o.failUnknown && r.Provider != "" && word.Value && strings.ContainsAny(word.Text, "0123456789")
	default:
		return true
	}
}

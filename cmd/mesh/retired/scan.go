package retired

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// generated files have many ids but aren't edited: lock files, recordings and test
// data.
var generated = []string{"*.lock", "*.lock.yml", "*-lock.*", "**/cassettes/**", "**/__snapshots__/**", "**/fixtures/**", "**/testdata/**"}

type place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// mention is a model in a file. If fails is set, the exit status is 1.
type mention struct {
	place
	retirement
	fails bool
}

// scanSources reports unreadable files after the models in the others, with exit status
// 2: such a file could name a retired model.
func (o *Options) scanSources(ctx context.Context, soon time.Duration) error {
	if len(o.args) == 0 {
		return exit.Usagef("--scan needs a directory or a file, such as .")
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
	r := newFindings(s.Found, check.soon, s.Texts, check.registry.AsOf())
	if err := o.printSources(s, r); err != nil {
		return err
	}
	return cmp.Or(s.UnreadError(), exit.If(r.fails()))
}

// mentionsIn skips baselines.
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
		if m.Value.fails { // a baseline must not accept later failures
			m.Entry = &codebase.Entry{File: file, What: r.Model}
		}
		list = append(list, m)
	}
	return list
}

// knownWords caches states: a code base repeats its words.
type knownWords struct {
	checker
	mu     sync.Mutex
	states map[string]retirement
}

// maxKnown limits the cache: data files can have millions of words.
const maxKnown = 100_000

func (k *knownWords) named(word Word) retirement {
	k.mu.Lock()
	r, ok := k.states[word.Text]
	k.mu.Unlock()
	if ok {
		return r
	}
	word.Text = strings.Clone(word.Text) // don't retain the whole file
	r = k.checker.named(word)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.states) == maxKnown {
		clear(k.states)
	}
	k.states[word.Text] = r
	return r
}

// named ignores a provider prefix if the model is the same: openai/gpt-4o is gpt-4o.
func (c checker) named(word Word) retirement {
	r := c.first(word.IDs())
	if plain := c.model(r.Model[strings.LastIndexByte(r.Model, '/')+1:]); plain.Matched == r.Matched {
		return plain
	}
	return r
}

// reports decides whether to print a model. Unknown words must look like ids: many
// words start like a provider's models, such as gpt-tokenizer.
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

// Word is a whole word that may be a model id.
type Word struct {
	Text string
	// At is its byte offset.
	At int
	// Value means that the word fills quotes, or is the value for a key named model.
	Value bool
}

// maxWord is in bytes. No id is longer.
const maxWord = 256

// Words yields words in text that have a hyphen or are values: a short id such as o1 is
// also an ordinary name.
//
// A word may have a prefix, as in "openai/gpt-4o"; [IDs] returns its parts. After the
// prefix it's in lower case.
func Words(text string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		for begin := 0; begin < len(text); {
			end := begin
			for end < len(text) && inWord[text[end]] {
				end++
			}
			if word, ok := wordAt(text, begin, end); ok && !yield(word) {
				return
			}
			begin = end + 1
		}
	}
}

// wordAt trims trailing punctuation.
func wordAt(text string, begin, end int) (Word, bool) {
	word := Word{Text: strings.TrimRight(text[begin:end], "."+separators), At: begin}
	if word.Text == "" || len(word.Text) > maxWord || isPart(text, begin, end) || !isLower(word.Text[strings.LastIndexAny(word.Text, separators)+1:]) {
		return Word{}, false
	}
	word.Value = len(word.Text) == end-begin && (inQuotes(text, begin, end) || isModel(text, begin, end))
	return word, word.Value || strings.Contains(word.Text, "-")
}

// isPart reports whether a run is cut off and stands for several ids, as in gpt-4* and
// gpt-4-. In **gpt-4** it isn't.
func isPart(text string, begin, end int) bool {
	if text[end-1] == '-' {
		return true
	}
	return end < len(text) && text[end] == '*' && (begin == 0 || text[begin-1] != '*')
}

// inQuotes accepts a backslash before the second quote.
func inQuotes(text string, begin, end int) bool {
	if end < len(text) && text[end] == '\\' {
		end++
	}
	return begin > 0 && end < len(text) && text[begin-1] == text[end] && strings.IndexByte("\"'`", text[end]) >= 0
}

// maxKey limits the length of keys that may be named model, in bytes.
const maxKey = 64

// isModel reports whether a run is the value for a key that ends in model, such as
// "model: o1" in YAML, or for a variable such as OPENAI_MODEL=o1.
func isModel(text string, begin, end int) bool {
	if end < len(text) && strings.IndexByte(" \t\r\n,}#", text[end]) < 0 {
		return false
	}
	before := text[max(0, begin-maxKey):begin]
	blank := strings.TrimRight(before, " \t")
	if key, ok := strings.CutSuffix(blank, ":"); ok && len(blank) < len(before) {
		return strings.HasSuffix(strings.ToLower(strings.TrimRight(key, "\"' \t")), "model")
	}
	return strings.HasSuffix(before, "MODEL=")
}

// inWord has the bytes allowed in a word or a prefixed id.
var inWord = func() (set [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-" + separators) {
		set[c] = true
	}
	return set
}()

// separators separate a word's parts.
const separators = ":/@"

// isLower reports whether part can be an id: in source files no id has capitals or
// underscores.
func isLower(part string) bool {
	return !strings.ContainsAny(part, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")
}

// IDs returns candidate model ids in text, best first.
//
// The text itself comes first, then the rest after each separator, as in "azure/gpt-4o"
// and "openai:gpt-4o", then its parts, as in "https://host/v1/models/gpt-4o:stream".
// Fine-tunes have no parts: they retire at a different time than their model.
func IDs(text string) []string {
	ids := []string{text}
	for rest := text; !strings.HasPrefix(rest, "ft:"); {
		at := strings.IndexAny(rest, ":/")
		if at < 0 {
			return append(ids, parts(text)...)
		}
		var prefix string
		prefix, rest = rest[:at], rest[at+1:]
		if strings.Contains(rest, "-") || isOpenAI(prefix) && rest != "" {
			ids = append(ids, rest)
		}
	}
	return ids
}

// isOpenAI reports whether a prefix leads to OpenAI. No other provider has ids without
// hyphens.
func isOpenAI(prefix string) bool {
	return strings.HasPrefix(prefix, "openai") || strings.HasPrefix(prefix, "azure")
}

// parts returns the parts that can be ids: they have a hyphen, but not at the end, where
// it marks only the start of an id.
func parts(text string) (list []string) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if part = strings.TrimRight(part, "."); part != text && strings.Contains(part, "-") && !strings.HasSuffix(part, "-") {
			list = append(list, part)
		}
	}
	return list
}

// IDs returns candidate model ids in the word, best first, like the function IDs.
func (w Word) IDs() []string {
	return slices.DeleteFunc(IDs(w.Text), func(id string) bool { return !isLower(id) })
}

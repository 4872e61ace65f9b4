package retired

import (
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
	r := newReport(s.Found, check.soon, s.Texts, check.registry.AsOf())
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

// Word is a whole word of a text that may be the id of a model.
type Word struct {
	Text string
	// At is its index in the text.
	At int
	// Value means that the word is all of a text in quotes, or all of the value of a key named model.
	Value bool
}

// maxWord is the length of the longest word, in bytes. No id is longer.
const maxWord = 256

// Words yields the words of a text that have a hyphen or are values: a short id such as o1 is also an ordinary name. A word may have a
// prefix, as in "openai/gpt-4o"; [IDs] returns its parts. Without the prefix it is in lower case.
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

// wordAt returns the word of a run of word characters, without the punctuation at its end.
func wordAt(text string, begin, end int) (Word, bool) {
	word := Word{Text: strings.TrimRight(text[begin:end], "."+separators), At: begin}
	if word.Text == "" || len(word.Text) > maxWord || isPart(text, begin, end) || !isLower(word.Text[strings.LastIndexAny(word.Text, separators)+1:]) {
		return Word{}, false
	}
	word.Value = len(word.Text) == end-begin && (inQuotes(text, begin, end) || isModel(text, begin, end))
	return word, word.Value || strings.Contains(word.Text, "-")
}

// isPart reports whether a run is only the beginning of ids, as in gpt-4* and gpt-4-. In **gpt-4** it is not.
func isPart(text string, begin, end int) bool {
	if text[end-1] == '-' {
		return true
	}
	return end < len(text) && text[end] == '*' && (begin == 0 || text[begin-1] != '*')
}

// inQuotes reports whether the same quotation mark is on both sides. The second one may have a backslash.
func inQuotes(text string, begin, end int) bool {
	if end < len(text) && text[end] == '\\' {
		end++
	}
	return begin > 0 && end < len(text) && text[begin-1] == text[end] && strings.IndexByte("\"'`", text[end]) >= 0
}

// maxKey is the length of the longest key that can be named model, in bytes.
const maxKey = 64

// isModel reports whether a run is the value of a key whose name ends in model, as in "model: o1" of YAML, or of a variable such as
// OPENAI_MODEL=o1.
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

// inWord has the characters that are part of a word, or of an id with a prefix.
var inWord = func() (set [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-" + separators) {
		set[c] = true
	}
	return set
}()

// separators are between the parts of a word.
const separators = ":/@"

// isLower reports whether a part of a word can be an id in a source file: none there has capitals or an underscore.
func isLower(part string) bool {
	return !strings.ContainsAny(part, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")
}

// IDs returns what may be the id of a model in a text with prefixes, best first: the text, then what is behind each separator, as in
// "azure/gpt-4o" and "openai:gpt-4o", then its parts, as in "https://host/v1/models/gpt-4o:stream". A fine-tune has no parts, since it
// retires at another time than its model.
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

// isOpenAI reports whether a prefix leads to OpenAI, the only provider that has ids without a hyphen.
func isOpenAI(prefix string) bool {
	return strings.HasPrefix(prefix, "openai") || strings.HasPrefix(prefix, "azure")
}

// parts returns the parts of a text that have a hyphen. What ends in a hyphen is the beginning of ids.
func parts(text string) (list []string) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if part = strings.TrimRight(part, "."); part != text && strings.Contains(part, "-") && !strings.HasSuffix(part, "-") {
			list = append(list, part)
		}
	}
	return list
}

// IDs returns what may be the id of a model in the word, best first, as the function does.
func (w Word) IDs() []string {
	return slices.DeleteFunc(IDs(w.Text), func(id string) bool { return !isLower(id) })
}

// Package mentions finds what may be the id of a model in source files, for mesh retired --scan.
package mentions

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// skipped are the folders with code of others, or with the history of the own code.
var skipped = []string{".git", ".hg", ".svn", ".venv", "node_modules", "vendor"}

// Files yields the regular files of paths: a file itself, and the files of a folder with all its subfolders, except those that
// hold the code of others. It follows symbolic links only in paths. After an error it goes on.
func Files(paths []string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, path := range paths {
			info, err := os.Stat(path)
			if err == nil && info.IsDir() {
				if !walk(path, yield) {
					return
				}
				continue
			}
			if !yield(path, err) {
				return
			}
		}
	}
}

// walk yields the files of a folder. It returns false if yield did.
func walk(folder string, yield func(string, error) bool) bool {
	return fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		path := filepath.Join(folder, filepath.FromSlash(name))
		switch {
		case err == nil && entry.IsDir() && slices.Contains(skipped, entry.Name()):
			return fs.SkipDir
		case err == nil && !entry.Type().IsRegular():
			return nil
		case !yield(path, withPath(err, path)):
			return errStopped
		}
		return nil
	}) == nil
}

// withPath returns err with the path from the working directory: the error of a folder has its name in that folder.
func withPath(err error, path string) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return &fs.PathError{Op: failed.Op, Path: path, Err: failed.Err}
	}
	return err
}

// errStopped ends a walk, and unlike [fs.SkipAll] is seen by its caller.
var errStopped = errors.New("stopped")

// Word is a whole word of a file that may be the id of a model.
type Word struct {
	Text string
	// Line counts from 1.
	Line int
	// Quoted means that the word is all of a text in quotes.
	Quoted bool
}

// maxWord is the length of the longest word, in bytes. No id is longer.
const maxWord = 256

// ErrBinary reports a file that is not text, because it has a zero byte.
var ErrBinary = errors.New("not a text file")

// The parts of a file that are in memory at a time, in bytes.
const (
	firstPart = 64 << 10
	maxPart   = 1 << 20
)

// Read yields the words of a file as [Words] does, and keeps only a part of it in memory. It ends with an error.
func Read(r io.Reader) iter.Seq2[Word, error] {
	return func(yield func(Word, error) bool) {
		parts := bufio.NewScanner(r)
		parts.Buffer(make([]byte, firstPart), 2*maxPart)
		parts.Split(splitPart)
		for lines := 0; parts.Scan(); lines += bytes.Count(parts.Bytes(), []byte("\n")) {
			if bytes.IndexByte(parts.Bytes(), 0) >= 0 {
				yield(Word{}, ErrBinary)
				return
			}
			for word := range Words(parts.Bytes()) {
				word.Line += lines
				if !yield(word, nil) {
					return
				}
			}
		}
		if err := parts.Err(); err != nil {
			yield(Word{}, err)
		}
	}
}

// splitPart returns the complete lines, or of a very long line a part that ends between two words.
func splitPart(data []byte, atEOF bool) (advance int, part []byte, err error) {
	end := bytes.LastIndexByte(data, '\n') + 1
	switch {
	case atEOF:
		end = len(data)
	case end == 0 && len(data) < maxPart:
		return 0, nil, nil // more is needed
	case end == 0:
		if end = bytes.LastIndexAny(data, " \t,;(){}[]") + 1; end == 0 {
			end = len(data)
		}
	}
	if end == 0 {
		return 0, nil, nil
	}
	return end, data[:end], nil
}

// Words yields the words of a text in lower case that have a hyphen or are quoted: a short id such as o1 is also an ordinary
// name. A word may have a prefix, as in "openai/gpt-4o"; [Parts] returns its parts.
func Words(text []byte) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		line := 1
		for begin := 0; begin < len(text); {
			end := begin
			for end < len(text) && inWord(text[end]) {
				end++
			}
			if word, ok := wordAt(text, begin, end); ok {
				word.Line = line
				if !yield(word) {
					return
				}
			}
			if end < len(text) && text[end] == '\n' {
				line++
			}
			begin = end + 1
		}
	}
}

// wordAt returns the word of a run of word characters, without the punctuation at its end.
func wordAt(text []byte, begin, end int) (Word, bool) {
	trimmed := bytes.TrimRight(text[begin:end], ".:/@-")
	if len(trimmed) == 0 || len(trimmed) > maxWord || bytes.ContainsAny(trimmed, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") {
		return Word{}, false
	}
	word := Word{Text: string(trimmed), Quoted: len(trimmed) == end-begin && inQuotes(text, begin, end)}
	return word, word.Quoted || strings.Contains(word.Text, "-")
}

// inQuotes reports whether the same quotation mark is on both sides. The second one may have a backslash.
func inQuotes(text []byte, begin, end int) bool {
	if end < len(text) && text[end] == '\\' {
		end++
	}
	return begin > 0 && end < len(text) && text[begin-1] == text[end] && strings.IndexByte("\"'`", text[end]) >= 0
}

// inWord reports whether a character is part of a word, or of an id with a prefix.
func inWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_.-:/@", c) >= 0
}

// Parts returns the word and then those of its parts that have a hyphen, as in "https://host/v1/models/gpt-4o". A fine-tune has no parts, since
// it retires at another time than its model.
func (w Word) Parts() []string {
	parts := []string{w.Text}
	if strings.HasPrefix(w.Text, "ft:") {
		return parts
	}
	for part := range strings.FieldsFuncSeq(w.Text, func(r rune) bool { return strings.ContainsRune(":/@", r) }) {
		if part != w.Text && strings.Contains(part, "-") {
			parts = append(parts, strings.TrimRight(part, ".-"))
		}
	}
	return parts
}

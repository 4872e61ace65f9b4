package codebase

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/files"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// Entry is a known finding. It omits the line number, which changes with every edit
// above.
type Entry struct {
	// File is relative to the baseline's directory, or absolute.
	File string `json:"file"`
	// What is a model, or a rule and a credential's fingerprint.
	What string `json:"finding"`
	// Credential is the credential itself. A baseline only has its fingerprint, in What.
	Credential string `json:"-"`
}

type line struct {
	Entry
	Count int `json:"count"`
}

type baseline struct {
	folder string
	counts map[Entry]int
}

func newBaseline(file string) *baseline {
	return &baseline{absolute(filepath.Dir(file)), map[Entry]int{}}
}

func absolute(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

// in bytes
const maxBaseline = 64 << 20

func openBaseline(file string) (*baseline, error) {
	text, err := openfile.ReadTyped(file, maxBaseline)
	if err != nil {
		return nil, err
	}
	b := newBaseline(file)
	number := 0
	for text := range bytes.Lines(text) {
		number++
		l, ok := parseLine(text)
		if !ok {
			return nil, fmt.Errorf("%s:%d is not a baseline line, as written by --write-baseline", file, number)
		}
		b.counts[l.Entry] += l.Count
	}
	return b, nil
}

func parseLine(text []byte) (l line, ok bool) {
	err := json.Unmarshal(text, &l)
	return l, err == nil && l.File != "" && l.What != "" && l.Count > 0
}

// IsBaseline reports whether text is a baseline. Its last line may be cut off.
func IsBaseline(text string) bool {
	complete := text[:strings.LastIndexByte(text, '\n')+1]
	if !strings.HasPrefix(complete, `{"file":`) {
		return false
	}
	for text := range strings.Lines(complete) {
		if _, ok := parseLine([]byte(text)); !ok {
			return false
		}
	}
	return true
}

// has reports whether the baseline has credentials (from mesh scan) or, if credentials is
// false, models (from mesh retired). An empty one fits both.
func (b *baseline) has(credentials bool) bool {
	for e := range b.counts {
		if strings.Contains(e.What, " ") == credentials { // before the fingerprint
			return true
		}
	}
	return len(b.counts) == 0
}

// entry replaces the credential by a hash, since others can read a baseline. The hash
// includes rule and file: the same credential looks different in two files.
func (b *baseline) entry(e Entry) Entry {
	inside := Entry{File: b.path(e.File), What: e.What}
	if e.Credential != "" {
		hash := sha256.New()
		for _, text := range []string{inside.File, e.What, e.Credential} {
			fmt.Fprintf(hash, "%d:%s", len(text), text)
		}
		const length = 8
		inside.What += " " + hex.EncodeToString(hash.Sum(nil)[:length])
	}
	return inside
}

func (b *baseline) path(file string) string {
	if file != "-" {
		file = absolute(file)
		if below, err := filepath.Rel(b.folder, file); err == nil { // else it is on another drive
			file = below
		}
	}
	return strings.ToValidUTF8(filepath.ToSlash(file), "\ufffd") // as JSON writes it
}

func (b *baseline) add(e Entry) { b.counts[b.entry(e)]++ }

// knows reports whether the baseline accepts a finding. Each entry accepts only as many
// as it counts, so one more in the same file is new.
func (b *baseline) knows(e Entry) bool {
	e = b.entry(e)
	b.counts[e]--
	return b.counts[e] >= 0
}

func (b *baseline) size() (n int) {
	for _, count := range b.counts {
		n += count
	}
	return n
}

// write replaces a file by the baseline: sorted lines, for small diffs.
func (b *baseline) write(file string) error {
	entries := slices.SortedFunc(maps.Keys(b.counts), func(x, y Entry) int { return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.What, y.What)) })
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	lines.SetEscapeHTML(false)
	for _, e := range entries {
		if err := lines.Encode(line{e, b.counts[e]}); err != nil {
			return err
		}
	}
	replacement, err := files.Replace(file) // don't create a directory with a mistyped name
	if err != nil {
		return err
	}
	defer replacement.Discard()
	return replacement.Commit(text.Bytes())
}

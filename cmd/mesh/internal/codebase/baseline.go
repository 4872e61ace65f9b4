package codebase

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/files"
)

// Finding is what a baseline knows of something that was found. It has no line, which changes whenever lines are added above it.
type Finding struct {
	// File is its path below the folder of the baseline, or the absolute path.
	File string `json:"file"`
	// What is the name of a model, or a rule with the fingerprint of a credential.
	What string `json:"finding"`
}

// entry is a line of a baseline.
type entry struct {
	Finding
	Count int `json:"count"`
}

// Fingerprint identifies a credential in a baseline, which others can read: it is a part of a hash of the credential, the rule and the
// file. The file is in it so that the baseline does not show which files have the same credential.
func Fingerprint(f Finding, credential string) string {
	hash := sha256.New()
	for _, text := range []string{f.File, f.What, credential} {
		fmt.Fprintf(hash, "%d:%s", len(text), text)
	}
	const length = 8
	return hex.EncodeToString(hash.Sum(nil)[:length])
}

// Baseline has what was found before. The zero value has nothing.
type Baseline struct {
	folder string
	left   map[Finding]int
}

// NewBaseline returns an empty baseline for a file of that name.
func NewBaseline(file string) *Baseline {
	folder, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		folder = filepath.Dir(file)
	}
	return &Baseline{folder, map[Finding]int{}}
}

// OpenBaseline reads a baseline that Write has written.
func OpenBaseline(file string) (*Baseline, error) {
	text, err := os.ReadFile(file) //nolint:gosec // the user names the file
	if err != nil {
		return nil, err
	}
	b := NewBaseline(file)
	number := 0
	for line := range bytes.Lines(text) {
		number++
		e, ok := parseEntry(line)
		if !ok {
			return nil, fmt.Errorf("%s:%d is no line of a baseline, which --write-baseline writes", file, number)
		}
		b.left[e.Finding] += e.Count
	}
	return b, nil
}

func parseEntry(line []byte) (e entry, ok bool) {
	err := json.Unmarshal(line, &e)
	return e, err == nil && e.File != "" && e.What != "" && e.Count > 0
}

// IsBaseline reports whether each complete line of a text, and at least one, is an entry of a baseline. The last line may be cut off.
func IsBaseline(text string) bool {
	complete := text[:strings.LastIndexByte(text, '\n')+1]
	if !strings.HasPrefix(complete, `{"file":`) {
		return false
	}
	for line := range strings.Lines(complete) {
		if _, ok := parseEntry([]byte(line)); !ok {
			return false
		}
	}
	return true
}

// Has reports whether the baseline has credentials or, without credentials, models. An empty one has both.
func (b *Baseline) Has(credentials bool) bool {
	for f := range b.left {
		if strings.Contains(f.What, " ") == credentials { // before the fingerprint
			return true
		}
	}
	return len(b.left) == 0
}

// In returns the name of a file in the baseline.
func (b *Baseline) In(file string) string {
	absolute, err := filepath.Abs(file)
	if err != nil || file == "-" {
		return filepath.ToSlash(file)
	}
	if below, err := filepath.Rel(b.folder, absolute); err == nil {
		return filepath.ToSlash(below)
	}
	return filepath.ToSlash(absolute) // on another drive
}

// Add adds something that was found.
func (b *Baseline) Add(f Finding) { b.left[f]++ }

// Knows reports whether the baseline has a finding. Each one counts once, so that a second use of a model in a file is new.
func (b *Baseline) Knows(f Finding) bool {
	if b == nil || b.left[f] == 0 {
		return false
	}
	b.left[f]--
	return true
}

// Len returns the number of findings.
func (b *Baseline) Len() (n int) {
	for _, count := range b.left {
		n += count
	}
	return n
}

// Write replaces a file by the baseline: a line of JSON for each file and finding, sorted, so that a change is a small difference.
func (b *Baseline) Write(file string) error {
	list := make([]entry, 0, len(b.left))
	for f, count := range b.left {
		list = append(list, entry{f, count})
	}
	slices.SortFunc(list, func(x, y entry) int { return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.What, y.What)) })
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	lines.SetEscapeHTML(false)
	for _, e := range list {
		if err := lines.Encode(e); err != nil {
			return err
		}
	}
	replacement, err := files.Replace(file)
	if err != nil {
		return err
	}
	defer replacement.Discard()
	return replacement.Commit(text.Bytes())
}

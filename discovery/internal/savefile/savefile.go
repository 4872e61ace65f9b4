// Package savefile has the format of the files in which catalogs and price lists are saved.
package savefile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// Format is the format of a saved file: a line with its name, its version and the SHA-256 digest of the content, and the
// content. The digest detects any damage, so that what is read is what was saved.
type Format struct {
	Name    string
	Version string // changes when a release would misread the files of another
	Writer  string // the method that saves it, for errors
}

var errDamaged = errors.New("is damaged")

// File returns the file with a content.
func (f Format) File(content []byte) []byte {
	return append(fmt.Appendf(nil, "%s %s %s\n", f.Name, f.Version, Digest(content)), content...)
}

// Content returns the content of a file. The errors contain no part of the file.
func (f Format) Content(file []byte) ([]byte, error) {
	head, content, _ := bytes.Cut(file, []byte("\n"))
	words := bytes.SplitN(head, []byte(" "), 3)
	switch {
	case len(words) != 3 || string(words[0]) != f.Name:
		return nil, fmt.Errorf("is not a file of %s", f.Writer)
	case string(words[1]) != f.Version:
		return nil, fmt.Errorf("has a format version other than %s", f.Version)
	case string(words[2]) != Digest(content):
		return nil, errDamaged
	}
	return content, nil
}

// Digest returns the SHA-256 digest of content in hexadecimal.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

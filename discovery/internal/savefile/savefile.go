// Package savefile has the file format for saved catalogs and price lists.
package savefile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// Format is a file format: a line with its name, its version and the content's SHA-256
// digest, and then the content. The digest detects any damage.
type Format struct {
	Name    string
	Version string // changes if releases would misread each other's files
	Writer  string // the saving method, for errors
}

var errDamaged = errors.New("is damaged")

// File returns the complete file.
func (f Format) File(content []byte) []byte {
	return append(fmt.Appendf(nil, "%s %s %s\n", f.Name, f.Version, Digest(content)), content...)
}

// Content returns the content, or an error that doesn't quote the file.
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

// Digest returns the hexadecimal SHA-256 digest of content.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

package discovery

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// fileFormat is the format of a saved file: a line with its name, its version and the SHA-256 digest of the content, and the
// content. The digest detects any damage, so that what is read is what was saved.
type fileFormat struct {
	name    string
	version string // changes when a release would misread the files of another
	writer  string // the method that saves it, for errors
}

var errFileDamaged = errors.New("is damaged")

// file returns the file with a content.
func (f fileFormat) file(content []byte) []byte {
	return append(fmt.Appendf(nil, "%s %s %s\n", f.name, f.version, digest(content)), content...)
}

// content returns the content of a file. The errors contain no part of the file.
func (f fileFormat) content(file []byte) ([]byte, error) {
	head, content, _ := bytes.Cut(file, []byte("\n"))
	words := bytes.SplitN(head, []byte(" "), 3)
	switch {
	case len(words) != 3 || string(words[0]) != f.name:
		return nil, fmt.Errorf("is not a file of %s", f.writer)
	case string(words[1]) != f.version:
		return nil, fmt.Errorf("has a format version other than %s", f.version)
	case string(words[2]) != digest(content):
		return nil, errFileDamaged
	}
	return content, nil
}

// digest returns the SHA-256 digest of content in hexadecimal.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

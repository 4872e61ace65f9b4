package codebase

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

type file struct {
	path string
	// in is the directory that has it, or nil if the file was named.
	in *folder
	// size is in bytes, when the file was selected.
	size int64
	// set by read
	isText bool
	err    error
}

// The directory with selected files stays open until the last one was read.
type folder struct {
	top  *os.Root
	path string // below top

	mu     sync.Mutex
	root   *os.Root
	unread int // files
}

func (f *folder) open(name string) (in *os.File, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.root == nil {
		f.root, err = f.top.OpenRoot(filepath.Join(".", f.path))
	}
	if err == nil {
		in, err = openfile.Below(f.root, name)
	}
	if f.unread--; f.unread == 0 && f.root != nil {
		_ = f.root.Close()
	}
	return in, err
}

const (
	// A zero byte in the first bytes marks a binary file, as in git.
	beginning = 8000
	maxFile   = 512 << 20
	large     = 32 << 20 // one such file is in memory at a time
)

// open accepts pipes and links only if the file was named.
func (f *file) open() (*os.File, error) {
	if f.in != nil {
		return f.in.open(filepath.Base(f.path))
	}
	return os.Open(f.path)
}

// read returns the file's text, or "" if it is binary: it has a zero byte at its
// beginning, but no UTF-16 byte order mark. A named binary file is text, too, if binary
// is true. buffer must have room for the beginning. io.ReadAll would hold the file
// several times.
func (f *file) read(binary bool, buffer []byte) (content string) {
	if f.err != nil {
		return ""
	}
	in, err := f.open()
	if err != nil {
		f.err = err
		return ""
	}
	defer in.Close()
	if content, err = f.content(in, binary, buffer); err != nil {
		f.isText, f.err = false, &fs.PathError{Op: "read", Path: f.path, Err: exit.WithoutPath(err)}
	}
	return content
}

func (f *file) content(in *os.File, binary bool, buffer []byte) (string, error) {
	n, err := io.ReadFull(in, buffer[:beginning])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	wide := hasWideMark(string(buffer[:min(n, 2)]))
	f.isText = wide || bytes.IndexByte(buffer[:n], 0) < 0 || binary && f.in == nil
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return "", err
	case !f.isText:
		return "", nil
	case f.size > maxFile:
		return "", &openfile.SizeError{Max: maxFile}
	}
	var text strings.Builder
	text.Grow(max(n, int(f.size)))
	for text.Write(buffer[:n]); err == nil && text.Len() <= maxFile; text.Write(buffer[:n]) {
		n, err = in.Read(buffer)
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return "", err
	case text.Len() > maxFile:
		return "", &openfile.SizeError{Max: maxFile}
	case wide:
		return Decoded(text.String())
	}
	return text.String(), nil
}

// UTF-16 byte order marks
const (
	littleEndian = "\xff\xfe"
	bigEndian    = "\xfe\xff"
)

var errNotUTF16 = errors.New("starts like UTF-16, but is not")

func hasWideMark(text string) bool {
	return strings.HasPrefix(text, littleEndian) || strings.HasPrefix(text, bigEndian)
}

// Decoded converts UTF-16 with a byte order mark to UTF-8. Other texts are unchanged.
func Decoded(text string) (string, error) {
	if !hasWideMark(text) {
		return text, nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if strings.HasPrefix(text, bigEndian) {
		order = binary.BigEndian
	}
	if len(text)%2 != 0 || strings.HasPrefix(text, littleEndian+"\x00\x00") { // the latter is UTF-32
		return "", errNotUTF16
	}
	units := make([]byte, 2)
	unit := func(i int) rune {
		copy(units, text[i:])
		return rune(order.Uint16(units))
	}
	var decoded strings.Builder
	decoded.Grow(len(text) / 2)
	for i := 2; i < len(text); i += 2 {
		r := unit(i)
		if utf16.IsSurrogate(r) {
			if i += 2; i == len(text) {
				return "", errNotUTF16
			}
			if r = utf16.DecodeRune(r, unit(i)); r == '\ufffd' {
				return "", errNotUTF16
			}
		}
		decoded.WriteRune(r)
	}
	return decoded.String(), nil
}

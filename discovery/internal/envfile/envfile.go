// Package envfile reads a key from a file with NAME=value lines, as shells and dotenv
// tools write them: with export, spaces around the sign, a quoted value, or a comment.
//
// Its errors quote neither the content nor the path: if a program mixes up two variables,
// the path is the key.
package envfile

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/openfile"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

const maxSize = 1 << 20

// Key returns the value of name in the file at path. As in a shell, the last line that
// sets it counts. If no line sets it, Key returns an error. The file must be a regular
// file, at most 1 MiB.
func Key(path, name string) (secret.Secret, error) {
	text, err := read(path)
	if err != nil {
		return secret.Secret{}, err
	}
	key := ""
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		if value, ok := valueOf(name, strings.TrimSpace(line)); ok {
			key = value
		}
	}
	if key == "" {
		return secret.Secret{}, errors.New("does not set " + name)
	}
	return secret.New(key), nil
}

func read(path string) (string, error) {
	text, err := openfile.Read(path, maxSize)
	var long *openfile.SizeError
	switch {
	case errors.Is(err, openfile.ErrNotRegular):
		return "", errors.New("is not a regular file")
	case errors.As(err, &long):
		return "", errors.New("is too long")
	}
	return string(text), withoutPath(err)
}

func withoutPath(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

func valueOf(name, line string) (string, bool) {
	if rest, ok := strings.CutPrefix(line, "export"); ok && strings.TrimLeft(rest, blanks) != rest {
		line = strings.TrimLeft(rest, blanks)
	}
	left, value, ok := strings.Cut(line, "=")
	if !ok || strings.TrimSpace(left) != name {
		return "", false
	}
	value = strings.TrimSpace(value)
	for _, quote := range []string{`"`, `'`} {
		if rest, quoted := strings.CutPrefix(value, quote); quoted {
			inner, after, closed := strings.Cut(rest, quote)
			return strings.TrimSpace(inner), closed && withoutComment(" "+after) == ""
		}
	}
	return withoutComment(" " + value), true
}

const blanks = " \t"

// withoutComment cuts text at the first # after a space.
func withoutComment(text string) string {
	for _, start := range []string{" #", "\t#"} {
		text, _, _ = strings.Cut(text, start)
	}
	return strings.TrimSpace(text)
}

// Package factsfile reads the facts that mesh update stores in the user's data directory,
// and the user's own prices.
package factsfile

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/files"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// Variable names the file or directory that replaces the stored facts.
const Variable = "MESH_FACTS"

// Load returns the facts that [Variable] names, or else the newer of the built-in and the
// stored ones, and where they are from. If they are unreadable, it returns the built-in
// facts and an error.
func Load() (f *facts.Facts, from string, err error) {
	builtIn, from := facts.BuiltIn(), "updated"
	name, hint := os.Getenv(Variable), ""
	if name != "" {
		from = name
	} else if name, err = storedName(); err != nil || !exists(name) {
		return builtIn, "built in", nil //nolint:nilerr // nothing was stored
	} else {
		hint = " (mesh update replaces them)"
	}
	f, err = Open(name)
	switch {
	case err != nil:
		return builtIn, "built in", fmt.Errorf("the built-in facts are used: %w%s", err, hint)
	case f.Newer(builtIn) != nil:
		return builtIn, "built in", nil //nolint:nilerr // the built-in facts are the newest
	}
	return f, from, nil
}

// Open reads a bundle, a directory with the tables, or a clone of the project. The error
// names the file.
func Open(name string) (f *facts.Facts, err error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() { //nolint:gosec // the user names the file
		if dir := filepath.Join(name, "discovery", "facts"); exists(filepath.Join(dir, "VERSION")) {
			name = dir
		}
		f, err = facts.ReadFS(directory(name))
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return f, err
	}
	text, err := openfile.ReadTyped(name, maxFile)
	if err == nil {
		f, err = facts.Read(bytes.NewReader(text))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, exit.WithoutPath(err))
	}
	return f, nil
}

// directory may be somebody else's, as in a checked-out repository.
type directory string

func (d directory) Open(name string) (fs.File, error) { return openfile.BelowDir(string(d), name) }

// maxFile bounds a bundle or a price file, in bytes.
const maxFile = 32 << 20

func exists(name string) bool {
	_, err := os.Stat(name) //nolint:gosec // as in Open
	return err == nil
}

// Store replaces the stored facts.
func Store(f *facts.Facts) error {
	name, err := storedName()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if _, err := f.WriteTo(&text); err != nil {
		return err
	}
	return files.WriteAll(name, text.Bytes())
}

// storedName returns an error if the user has no data directory.
func storedName() (string, error) {
	dir, err := dataDirectory()
	return filepath.Join(dir, "mesh", "facts"), err
}

func dataDirectory() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	switch runtime.GOOS {
	case "windows":
		return os.UserCacheDir() // %LocalAppData%, which does not roam
	case "darwin":
		return os.UserConfigDir() // Library/Application Support, which is for data, too
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share"), err
}

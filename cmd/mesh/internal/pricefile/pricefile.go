// Package pricefile keeps the price table that mesh prices --update stores in the user's data folder, and compares it with others.
package pricefile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/files"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// path returns the name of the file: mesh/prices in the user's data folder. It returns an error if the user has no data folder.
func path() (string, error) {
	dir, err := dataFolder()
	return filepath.Join(dir, "mesh", "prices"), err
}

func dataFolder() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	switch runtime.GOOS {
	case "windows":
		return os.UserCacheDir() // %LocalAppData%, which does not roam
	case "darwin":
		return os.UserConfigDir() // Library/Application Support, the place of data too
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share"), err
}

// Load returns the price list of mesh prices --update if it is newer than the built-in one, else that one. A file that cannot be
// read is an error beside the built-in list.
func Load() (list *prices.List, updated bool, err error) {
	builtIn := prices.BuiltIn()
	name, err := path()
	if err != nil {
		return builtIn, false, nil //nolint:nilerr // nothing can have been stored
	}
	var stored *prices.List
	text, err := openfile.Read(name, maxFile)
	if err == nil {
		stored, err = prices.Load(bytes.NewReader(text))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !stored.AsOf().After(builtIn.AsOf()):
		return builtIn, false, nil
	case err != nil:
		return builtIn, false, fmt.Errorf("the built-in price table is used, since the stored one cannot be read (mesh prices --update replaces it): %s: %w", name, err)
	}
	return stored, true, nil
}

// Store replaces the stored table.
func Store(list *prices.List) error {
	var text bytes.Buffer
	if err := list.Save(&text); err != nil {
		return err
	}
	name, err := path()
	if err != nil {
		return err
	}
	return files.WriteAll(name, text.Bytes())
}

// OwnVariable is the variable with the names of the user's price files, separated as in PATH.
const OwnVariable = "MESH_PRICES"

// OwnNames returns the files of OwnVariable.
func OwnNames() []string {
	names := filepath.SplitList(os.Getenv(OwnVariable))
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// WithFiles returns a list with the rows of the user's price files. A row of a later file has precedence over those of earlier ones. An
// error names the file, and the line and the column of a wrong row.
func WithFiles(list *prices.List, names []string) (*prices.List, error) {
	for _, name := range names {
		rows, err := readRows(name)
		if err == nil {
			list, err = list.With(rows...)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return list, nil
}

// maxFile bounds a price file, in bytes.
const maxFile = 32 << 20

func readRows(name string) ([]prices.Row, error) {
	text, err := openfile.ReadTyped(name, maxFile)
	if err != nil {
		return nil, exit.WithoutPath(err)
	}
	rows, err := prices.ReadCSV(bytes.NewReader(text))
	var wrong *prices.ValueError
	switch {
	case !errors.As(err, &wrong):
		return rows, exit.WithoutPath(err)
	case wrong.Value == "":
		return nil, errors.New(wrong.Reason)
	}
	return nil, fmt.Errorf("%q %s", wrong.Value, wrong.Reason) // Field is the argument of ReadCSV
}

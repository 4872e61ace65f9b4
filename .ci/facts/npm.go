package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// npmCommand returns stdout.
type npmCommand func(args ...string) ([]byte, error)

func npm(args ...string) ([]byte, error) {
	out, err := exec.Command("npm", args...).Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	return out, err
}

var (
	npmVersion = regexp.MustCompile(`^\d+\.\d+\.\d+[a-z0-9.-]*$`)
	npmSource  = regexp.MustCompile(`^[^/]+/(src/.*\.ts|dist/.*\.d\.ts)$`)
)

// maxPackage is in unpacked bytes. The largest package has 35 MB.
const maxPackage = 256 << 20

// release reads a package's newest version. Nothing in the package is run or written.
func (npm npmCommand) release(provider, name string) (r release, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("npm %s: %w", name, err)
		}
	}()
	out, err := npm("view", name, "version", "time", "--json")
	if err != nil {
		return r, err
	}
	var view struct {
		Version string
		Time    map[string]time.Time
	}
	if err := json.Unmarshal(out, &view); err != nil {
		return r, err
	}
	day := view.Time[view.Version]
	if !npmVersion.MatchString(view.Version) || day.IsZero() {
		return r, errors.New("its newest version has no day")
	}
	text, err := npm.pack(name + "@" + view.Version)
	if err != nil {
		return r, err
	}
	r = release{Provider: provider, Name: name, Version: view.Version, Day: day.UTC().Format(time.DateOnly)}
	r.IDs, r.Dates, err = text.models()
	return r, err
}

// pack fetches a package without installing it.
func (npm npmCommand) pack(version string) (*typescript, error) {
	dir, err := os.MkdirTemp("", "facts-npm-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if _, err := npm("pack", "--ignore-scripts", "--silent", "--pack-destination", dir, version); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(files) != 1 {
		return nil, fmt.Errorf("npm pack wrote %d archives, %w", len(files), err)
	}
	file, err := os.Open(files[0])
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readArchive(file)
}

func readArchive(r io.Reader) (*typescript, error) {
	unzipped, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	text := newTypescript()
	archive := tar.NewReader(io.LimitReader(unzipped, maxPackage))
	for {
		header, err := archive.Next()
		switch {
		case err == io.EOF:
			return text, nil
		case err != nil:
			return nil, err
		case header.Typeflag != tar.TypeReg || !npmSource.MatchString(header.Name):
			continue
		}
		content, err := io.ReadAll(archive)
		if err == nil {
			err = text.read(string(content))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", strings.TrimPrefix(header.Name, "package/"), err)
		}
	}
}

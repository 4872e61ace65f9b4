package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// goPackage is what go list says about a package.
type goPackage struct {
	ImportPath, Dir, Name, Export string

	GoFiles, Deps, TestImports, XTestImports, TestGoFiles, XTestGoFiles []string

	Module *struct {
		Path, Dir string
		Main      bool
	}
}

// module is the module whose root is dir: what is to be mutated, and everything that it is built from.
type module struct {
	dir     string
	targets []string // import paths
	all     map[string]*goPackage
}

func load(ctx context.Context, dir string, patterns []string) (*module, error) {
	if len(patterns) == 0 {
		return nil, errors.New("no package is named")
	}
	targets, err := goCommand(ctx, dir, append([]string{"list"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	list, err := goCommand(ctx, dir, "list", "-deps", "-export", "-json", "./...")
	if err != nil {
		return nil, err
	}
	m := &module{dir: dir, targets: strings.Fields(string(targets)), all: map[string]*goPackage{}}
	for dec := json.NewDecoder(bytes.NewReader(list)); dec.More(); {
		p := new(goPackage)
		if err := dec.Decode(p); err != nil {
			return nil, err
		}
		m.all[p.ImportPath] = p
	}
	for _, path := range m.targets {
		if p := m.all[path]; p == nil || p.Module == nil || !p.Module.Main {
			return nil, fmt.Errorf("%s is no package of the module in this folder", path)
		}
	}
	return m, nil
}

// path is the path of the module.
func (m *module) path() string { return m.all[m.targets[0]].Module.Path }

// suites names the packages of this module whose tests reach pkg: its own, then those that rely on it.
func (m *module) suites(pkg string) []string {
	var paths []string
	for path, p := range m.all {
		if path != pkg && p.tested() && m.reaches(p, pkg) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	if m.all[pkg].tested() {
		paths = slices.Insert(paths, 0, pkg)
	}
	return paths
}

func (p *goPackage) tested() bool {
	return p.Module != nil && p.Module.Main && len(p.TestGoFiles)+len(p.XTestGoFiles) > 0
}

// reaches reports whether the tests of p are built with pkg.
func (m *module) reaches(p *goPackage, pkg string) bool {
	if slices.Contains(p.Deps, pkg) {
		return true
	}
	return slices.ContainsFunc(slices.Concat(p.TestImports, p.XTestImports), func(path string) bool {
		imported := m.all[path] // nil: only tests use it, and it is of another module
		return path == pkg || imported != nil && slices.Contains(imported.Deps, pkg)
	})
}

// goCommand returns what the go command writes to standard output. What it complains about is in the error.
func goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // a tool for developers: the arguments are their own
	cmd.Dir = dir
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, complaint.String())
	}
	return out, nil
}

// export opens the types of a package, for the type checker.
func (m *module) export(path string) (io.ReadCloser, error) {
	p := m.all[path]
	if p == nil || p.Export == "" {
		return nil, fmt.Errorf("no types for %s", path)
	}
	return os.Open(p.Export)
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// lab holds the overlay, and the test binaries that are built with it.
type lab struct {
	module *module
	dir    string
	suites map[string]*suite // by import path, built when first needed
}

func newLab(m *module, sites []site) (*lab, error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	l := &lab{module: m, dir: dir, suites: map[string]*suite{}}
	if err := l.writeOverlay(sites); err != nil {
		l.clear()
		return nil, err
	}
	return l, nil
}

func (l *lab) writeOverlay(sites []site) error {
	replace, err := l.module.writeOverlay(l.dir, sites)
	if err != nil {
		return err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(l.overlay(), text, 0o600)
}

func (l *lab) overlay() string { return filepath.Join(l.dir, "overlay.json") }

func (l *lab) clear() { _ = os.RemoveAll(l.dir) }

// try turns one mutant on, and runs suites until one notices.
func (l *lab) try(ctx context.Context, s site, kind string) (outcome, error) {
	for _, path := range l.module.suites(s.pkg) {
		suite, err := l.suite(ctx, path)
		if err != nil {
			return outcome{}, err
		}
		o, err := suite.run(ctx, s.mutant(kind))
		if err == nil && o.caught && path != s.pkg {
			o, err = suite.run(ctx, s.mutant(kind)) // the large suites are among these: one that failed by chance does not count
		}
		if err != nil || o.caught {
			return o, err
		}
	}
	return outcome{}, nil
}

// suite builds the tests of a package. They have to pass as long as no mutant is on.
func (l *lab) suite(ctx context.Context, path string) (*suite, error) {
	if s := l.suites[path]; s != nil {
		return s, nil
	}
	s := &suite{path: path, dir: l.module.all[path].Dir, temp: l.dir, limit: firstLimit,
		binary: filepath.Join(l.dir, fmt.Sprintf("%d.test", len(l.suites)))}
	if _, err := goCommand(ctx, l.module.dir, "test", "-c", "-overlay", l.overlay(), "-vet=off", "-o", s.binary, path); err != nil {
		return nil, err
	}
	o, err := s.run(ctx, "")
	if err != nil {
		return nil, err
	}
	if o.caught {
		return nil, fmt.Errorf("with no mutant at all: %s", o)
	}
	s.limit = minLimit + 5*o.took
	l.suites[path] = s
	return s, nil
}

package codebase

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// walk walks a directory that the user named. --exclude patterns can match a path as
// printed or relative to that directory.
type walk struct {
	*selection
	root    *os.Root
	depth   int
	exclude []rule
}

// rule matches patterns against paths relative to a directory. depth is the number of
// elements in that directory's absolute path.
type rule struct {
	depth    int
	patterns patterns
}

// place is a path and the rules that apply there.
type place struct {
	parts      []string // its absolute path
	rules      []rule
	repository *repository
	ignored    bool // by a .gitignore: only what git tracks is selected
}

// walk selects a directory's files. In a repository, the .gitignore files in its parents
// apply, too.
func (s *selection) walk(name string) {
	name = filepath.Clean(name)
	root, err := os.OpenRoot(name)
	if err != nil {
		s.selected = append(s.selected, file{path: name, err: err})
		return
	}
	s.roots = append(s.roots, root)
	at := place{parts: split(absolute(name))}
	var above []string
	for folder := absolute(name); !exists(filepath.Join(folder, ".git")); folder = filepath.Dir(folder) {
		if filepath.Dir(folder) == folder { // outside a repository
			above = nil
			break
		}
		above = append(above, filepath.Dir(folder))
	}
	for i, folder := range slices.Backward(above) {
		at.rules = s.withIgnoreFile(at.rules, folder, len(at.parts)-1-i)
	}
	if above != nil {
		at.repository = &repository{folder: name, depth: len(at.parts)}
	}
	w := walk{s, root, len(at.parts), []rule{{len(at.parts), s.exclude}, {len(at.parts) - len(split(name)), s.exclude}}}
	w.folder(name, at)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

const (
	ignoreFile    = ".gitignore"
	maxIgnoreFile = 256 << 10 // in bytes; a longer one is ignored, so more is searched
)

// withIgnoreFile adds the rules in a directory's .gitignore. Like git, it doesn't follow
// a link.
func (s *selection) withIgnoreFile(rules []rule, folder string, depth int) []rule {
	name := filepath.Join(folder, ignoreFile)
	if info, err := os.Lstat(name); s.all || err != nil || !info.Mode().IsRegular() {
		return rules
	}
	text, err := openfile.Read(name, maxIgnoreFile)
	if err != nil {
		return rules
	}
	return append(slices.Clip(rules), rule{depth, parsePatterns(string(text))})
}

func (w *walk) folder(name string, at place) {
	entries, err := os.ReadDir(name)
	if err != nil {
		w.selected = append(w.selected, file{path: name, err: err})
	}
	for _, entry := range entries {
		switch entry.Name() {
		case ignoreFile:
			at.rules = w.withIgnoreFile(at.rules, name, len(at.parts))
		case ".git":
			at.repository = &repository{folder: name, depth: len(at.parts)}
		}
	}
	in := &folder{top: w.root, path: filepath.Join(at.parts[w.depth:]...)}
	inside := at
	inside.parts = append(slices.Clip(at.parts), "")
	for _, entry := range entries {
		inside.parts[len(at.parts)] = entry.Name()
		inside.ignored = at.ignored || ignored(at.rules, inside.parts, entry.IsDir())
		switch reason := w.reason(entry, inside); reason {
		case "":
			w.entry(filepath.Join(name, entry.Name()), entry, in, inside)
		case hidden:
		default:
			w.leave(reason, entry.IsDir())
			w.optional = w.optional || !slices.Contains(always, reason)
		}
	}
}

func (w *walk) entry(path string, entry fs.DirEntry, in *folder, at place) {
	if entry.IsDir() {
		w.folder(path, at)
	} else if info, err := entry.Info(); err == nil {
		in.unread++
		w.selected = append(w.selected, file{path: path, in: in, size: info.Size()})
	} else if !errors.Is(err, fs.ErrNotExist) { // else it was removed meanwhile
		w.selected = append(w.selected, file{path: path, err: err})
	}
}

// version control, and dependencies
var (
	histories = []string{".hg", ".svn"}
	others    = []string{".venv", "node_modules", "vendor"}
)

// Reasons to leave something out. What's hidden isn't counted: .git, which in a git
// worktree is a file.
const (
	hidden       = ".git"
	history      = "history"
	excluded     = "--exclude"
	dependencies = "dependencies"
	isLink       = "links"
	isDevice     = "pipes and devices"
	isBinary     = "binary"
)

// --all-files doesn't change these
var always = []string{excluded, history, isLink, isDevice}

// reason returns "" if the entry is selected.
func (w *walk) reason(entry fs.DirEntry, at place) string {
	name, isFolder := entry.Name(), entry.IsDir()
	switch {
	case name == hidden:
		return hidden
	case isFolder && slices.Contains(histories, name) && !w.tracks(at):
		return history
	case isFolder && !w.all && slices.Contains(others, name):
		return dependencies
	case entry.Type()&fs.ModeSymlink != 0:
		return isLink
	case !isFolder && !entry.Type().IsRegular():
		return isDevice
	case ignored(w.exclude, at.parts, isFolder):
		return excluded
	case at.ignored && !w.tracks(at):
		return ignoreFile
	}
	if isFolder {
		return ""
	}
	if p := w.leftOut.last(at.parts[w.depth:], false); p != nil {
		w.byName = true
		return p.text
	}
	return ""
}

// ignored lets the last matching rule decide.
func ignored(rules []rule, path []string, isFolder bool) bool {
	for _, r := range slices.Backward(rules) {
		if p := r.patterns.last(path[r.depth:], isFolder); p != nil {
			return !p.negated
		}
	}
	return false
}

// repository is a git worktree, or a directory in one.
type repository struct {
	folder string
	depth  int // elements of its absolute path

	asked   bool
	tracked map[string]bool // files, and directories with files
}

// tracks reports whether git tracks a file, or any file in a directory: .gitignore
// doesn't apply to those. It runs git once per repository, when a .gitignore first
// matches.
func (s *selection) tracks(at place) bool {
	r := at.repository
	if r == nil {
		return false
	}
	if !r.asked && s.asking < maxIndexTime {
		began := time.Now()
		r.tracked = map[string]bool{}
		for _, name := range tracked(r.folder) {
			for name != "." && !r.tracked[name] {
				r.tracked[name] = true
				name = path.Dir(name)
			}
		}
		s.asking += time.Since(began)
	}
	r.asked = true
	return r.tracked[strings.Join(at.parts[r.depth:], "/")]
}

const (
	maxIndexTime = 10 * time.Second // for one repository, and in all before the last one is asked
	maxIndex     = 256 << 20        // in bytes
)

// unconfigured keeps a repository's configuration from running a program.
var unconfigured = []string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}

// tracked lists the files in git's index; nil without git, or if it doesn't answer.
func tracked(folder string) []string {
	ctx, cancel := context.WithTimeout(context.Background(), maxIndexTime)
	defer cancel()
	git := exec.CommandContext(ctx, "git", append(slices.Clip(unconfigured), "ls-files", "-z")...) //nolint:gosec // constants
	git.Dir = folder
	git.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }) // set by hooks
	git.Env = append(git.Env, "GIT_OPTIONAL_LOCKS=0", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1")    // a partial clone fetches what it lacks
	git.WaitDelay = time.Second
	out, err := git.StdoutPipe()
	if err == nil {
		err = git.Start()
	}
	if err != nil {
		return nil
	}
	names, err := io.ReadAll(io.LimitReader(out, maxIndex))
	if len(names) == maxIndex {
		cancel()
	}
	if git.Wait() != nil || err != nil {
		return nil
	}
	return strings.FieldsFunc(string(names), func(r rune) bool { return r == 0 })
}

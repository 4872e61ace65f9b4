package sessions

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// oldFiles decides which files Reader.Since skips. Without an agent's file, its calls
// would look like usage that only the session's total has, and without the parent's file,
// a Codex fork's copies would look like new calls.
type oldFiles struct {
	newest map[string]time.Time // directory or file -> last write
	codex  []string             // skipped
}

func (o *oldFiles) skip(path string, since time.Time) bool {
	if since.IsZero() {
		return false
	}
	old := o.lastWrite(familyOf(path)).Before(since)
	if old && strings.HasPrefix(filepath.Base(path), "rollout-") {
		o.codex = append(o.codex, path)
	}
	return old
}

// familyOf returns a Claude Code project's directory, which has sessions, their forks and
// their agents, or else the file's directory. A Codex file is alone.
func familyOf(path string) string {
	if strings.HasPrefix(filepath.Base(path), "rollout-") {
		return path
	}
	dir := filepath.Dir(path)
	session := dir
	if before, _, found := strings.Cut(dir, string(filepath.Separator)+"subagents"); found {
		session = filepath.Dir(before)
	}
	if isProject(session) {
		return session
	}
	return dir
}

// isProject tells a project from a home in a directory named projects, whose files aren't
// directly in it.
func isProject(dir string) bool { return filepath.Base(filepath.Dir(dir)) == "projects" }

func (o *oldFiles) lastWrite(path string) time.Time {
	at, known := o.newest[path]
	if known {
		return at
	}
	_ = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && name != path && !isProject(path) {
			return fs.SkipDir
		}
		if info, err := os.Stat(name); err == nil && !info.IsDir() && info.ModTime().After(at) {
			at = info.ModTime()
		}
		return nil
	})
	if o.newest == nil {
		o.newest = map[string]time.Time{}
	}
	o.newest[path] = at
	return at
}

// readParents reads skipped Codex files from which newer files were forked. Their names
// have the thread's id. It returns false if yield did.
func (r *run) readParents(yield func(calls.Record, error) bool) (more bool) {
	more = true
	for i := 0; i < len(r.codex) && len(r.old.codex) > 0; i++ {
		for _, id := range r.codex[i].parents {
			isParent := func(path string) bool { return strings.Contains(filepath.Base(path), id) }
			for at := slices.IndexFunc(r.old.codex, isParent); at >= 0 && more; at = slices.IndexFunc(r.old.codex, isParent) {
				path := r.old.codex[at]
				r.old.codex = slices.Delete(r.old.codex, at, at+1)
				r.readOld(path, func(one calls.Record, err error) bool {
					more = yield(one, err)
					return more
				})
			}
		}
	}
	return more
}

func (r *run) readOld(path string, yield func(calls.Record, error) bool) {
	opened, err := openfile.Regular(path)
	if err != nil {
		fail := func(yield func(calls.Record, error) bool) {
			yield(calls.Record{}, &calls.LineError{File: path, Line: 1, Err: err})
		}
		r.read(path, nil, func(f *file) { f.open = fail }, yield)
		return
	}
	defer opened.Close()
	in := bufio.NewReaderSize(opened, 64<<10)
	_, _ = in.Peek(1)
	head, _ := in.Peek(in.Buffered())
	if begin := programOf(path, head); begin != nil {
		r.read(path, in, begin, yield)
	}
}

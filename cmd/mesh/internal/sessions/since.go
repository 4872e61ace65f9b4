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

const projects = string(filepath.Separator) + "projects" + string(filepath.Separator)

// familyOf returns a Claude Code project's directory, which has sessions, their forks and
// their agents, or else the file's directory. A Codex file is alone.
func familyOf(path string) string {
	dir := filepath.Dir(path)
	if strings.HasPrefix(filepath.Base(path), "rollout-") {
		return path
	}
	if before, inside, found := strings.Cut(dir, projects); found {
		name, _, _ := strings.Cut(inside, string(filepath.Separator))
		return before + projects + name
	}
	return dir
}

func (o *oldFiles) lastWrite(path string) time.Time {
	at, known := o.newest[path]
	if known {
		return at
	}
	_ = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && name != path && !strings.Contains(path, projects) {
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
// have the thread's id.
func (r *run) readParents(yield func(calls.Record, error) bool) {
	for i := 0; i < len(r.codex) && len(r.old.codex) > 0; i++ {
		for _, id := range r.codex[i].parents {
			for _, path := range slices.Clone(r.old.codex) {
				if strings.Contains(filepath.Base(path), id) {
					r.old.codex = slices.DeleteFunc(r.old.codex, func(other string) bool { return other == path })
					r.readOld(path, yield)
				}
			}
		}
	}
}

func (r *run) readOld(path string, yield func(calls.Record, error) bool) {
	file, err := openfile.Regular(path)
	if err != nil {
		return
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 64<<10)
	_, _ = in.Peek(1)
	head, _ := in.Peek(in.Buffered())
	if begin := programOf(path, head); begin != nil {
		r.read(path, in, begin, yield)
	}
}

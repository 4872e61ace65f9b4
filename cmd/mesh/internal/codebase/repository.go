package codebase

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"time"
)

// repository is a work tree of git, or a folder in one.
type repository struct {
	folder string
	depth  int // of its absolute path, in parts

	asked   bool
	tracked map[string]bool // files, and the folders that have them, below folder
}

// tracks reports whether git tracks the file of a place, or a file in the folder: a .gitignore has no effect on these. git is
// asked once, when the first .gitignore matches.
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
	maxIndexTime = 10 * time.Second // for one repository, and until no further one is asked
	maxIndex     = 256 << 20        // in bytes
)

// unconfigured keeps the configuration of a repository, which may be somebody else's, from running a program.
var unconfigured = []string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}

// tracked returns the files below a folder that are in git's index; none without git, or if it does not answer.
func tracked(folder string) []string {
	ctx, cancel := context.WithTimeout(context.Background(), maxIndexTime)
	defer cancel()
	git := exec.CommandContext(ctx, "git", append(slices.Clip(unconfigured), "ls-files", "-z")...)
	git.Dir = folder
	git.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }) // of a hook's repository
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

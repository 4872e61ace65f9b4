// Package sessions reads calls from the files of Claude Code, Codex, Gemini CLI,
// opencode, Copilot CLI, pi, Qwen Code and Droid.
//
//	r := sessions.New(nil)
//	r.Read(&opts)
//	groups, err := calls.Sum(opts, sessions.Paths()...)
//
// Most programs state totals. A [Reader] compares each session with them: what the lines
// lack becomes a record, or a note says how much it is. docs/sessions.md has the rules.
//
// Conversations are never kept, and are in no error.
package sessions

import (
	"errors"
	"io"
	"iter"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Reader reads session files for [calls.Read] or [calls.Sum], one run at a time.
type Reader struct {
	// OnCopies, if set, is called for each file with calls that count elsewhere.
	OnCopies func(calls.Copies)
	// OnNote, if set, gets notes, such as how far a session differs from its program's
	// totals.
	OnNote func(string)
	// OnError, if set, gets line errors, which are then not yielded.
	OnError func(*calls.LineError)
	// Since skips files that were last written before it, unless calls in newer files depend
	// on them.
	Since time.Time

	prices *prices.List
	run    *run
	old    oldFiles
}

// New returns a Reader that compares costs with list, or with [prices.BuiltIn] if it's
// nil.
func New(list *prices.List) *Reader {
	if list == nil {
		list = prices.BuiltIn()
	}
	return &Reader{prices: list}
}

// Decode is a hook for calls.Options.Decode. It returns nil for anything but session
// files. An empty path ends the run.
func (r *Reader) Decode(path string, head []byte) calls.Decoder {
	if path == "" {
		return r.rest()
	}
	begin := programOf(path, head)
	if begin == nil {
		return nil
	}
	if r.old.skip(path, r.Since) {
		return func(io.Reader) iter.Seq2[calls.Record, error] { return func(func(calls.Record, error) bool) {} }
	}
	if r.run == nil {
		r.run = newRun(r)
	}
	return func(in io.Reader) iter.Seq2[calls.Record, error] {
		return func(yield func(calls.Record, error) bool) { r.run.read(path, in, begin, yield) }
	}
}

// Read lets calls.Read and calls.Sum read session files: it sets o.Decode and o.Join.
func (r *Reader) Read(o *calls.Options) { o.Decode, o.Join = r.Decode, r.Join }

// rest ends the run and returns a decoder that yields its calls.
func (r *Reader) rest() calls.Decoder {
	run := r.run
	if r.run = nil; run == nil {
		r.old = oldFiles{}
		return nil
	}
	return func(io.Reader) iter.Seq2[calls.Record, error] {
		return func(yield func(calls.Record, error) bool) {
			run.finish(yield)
			r.old = oldFiles{}
		}
	}
}

// maxBytes limits a run's memory, roughly. Beyond it, the calls so far are compared with
// their totals and yielded, and a new run starts.
const maxBytes = 48 << 20

type run struct {
	*Reader
	store
	files  []string
	claude map[int32]*claudeFile // by index
	codex  []*codexFile
	totals map[[2]string]*totals // program, session -> totals
	notes  notes

	metered      meteredOf
	elsewhere    map[*call]string // metered with another session
	meteredCalls int
	stated       map[string]bool             // models in cost-states; nil until needed
	copied       map[[2]string]*calls.Copies // file, other file -> copies
	copiedOrder  []*calls.Copies
	generation   int // number of splits
}

func newRun(r *Reader) *run {
	return &run{Reader: r, store: newStore(), copied: map[[2]string]*calls.Copies{}, metered: meteredOf{}, elsewhere: map[*call]string{}, totals: map[[2]string]*totals{}, claude: map[int32]*claudeFile{}}
}

func (r *run) read(path string, in io.Reader, begin func(*file), yielded func(calls.Record, error) bool) {
	yield := func(one calls.Record, err error) bool {
		var at *calls.LineError
		if r.OnError != nil && errors.As(err, &at) {
			r.OnError(at)
			return true
		}
		return yielded(one, err)
	}
	if r.bytes > maxBytes && !r.split(yield) {
		return
	}
	r.files = append(r.files, path)
	f := &file{run: r, path: path, in: in, index: int32(len(r.files) - 1)} //nolint:gosec // fewer files
	begin(f)
	if f.open != nil {
		f.open(yield)
		return
	}
	f.readLines(in, yield)
}

func (f *file) readLines(in io.Reader, yield func(calls.Record, error) bool) {
	for line := range linesOf(in) {
		if err := f.readLine(line); err != nil && !yield(calls.Record{}, &calls.LineError{File: f.path, Line: line.number, Err: err}) {
			return
		}
		if f.bytes > 2*maxBytes && !f.split(yield) { // a large file
			return
		}
	}
}

// split yields the calls so far and starts a new run.
func (r *run) split(yield func(calls.Record, error) bool) bool {
	more := true
	r.finish(func(one calls.Record, err error) bool {
		more = yield(one, err)
		return more
	})
	files, generation := r.files, r.generation
	*r = *newRun(r.Reader)
	r.files, r.generation = files, generation+1
	return more
}

func (r *run) finish(yield func(calls.Record, error) bool) {
	if !r.readParents(yield) {
		return
	}
	r.metered.sort()
	r.finishClaude()
	r.finishCodex()
	r.finishTotals()
	r.setProjects()
	for _, c := range r.calls {
		if c.left || c.counts == (counts{}) {
			continue
		}
		if !yield(r.record(c), nil) {
			return
		}
	}
	r.reportCopies()
	r.notes.report(r.OnNote)
}

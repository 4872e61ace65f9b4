// Package sessions reads what agent programs write down about their calls: the files of Claude Code, Codex, Gemini CLI, opencode, Copilot
// CLI, pi, Qwen Code and Droid.
//
//	r := sessions.New(nil)
//	r.Read(&opts)
//	groups, err := calls.Sum(opts, sessions.Paths()...)
//
// Most programs state totals. A [Reader] compares each session with them: what its lines do not have becomes a record, or a note says how
// much it is. docs/sessions.md has the rules of each program.
//
// Texts of a conversation are never kept, and are in no error.
package sessions

import (
	"errors"
	"io"
	"iter"
	"os"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Reader reads the session files of one run of [calls.Read] or [calls.Sum], and then those of the next one.
type Reader struct {
	// OnCopies, if it is set, is called for each file with calls that do not count, because those of another file do.
	OnCopies func(calls.Copies)
	// OnNote, if it is set, is called with a sentence for what differs from the totals of a program.
	OnNote func(string)
	// OnError, if it is set, gets the errors of lines and files, which are yielded otherwise.
	OnError func(*calls.LineError)
	// Since skips files that were last written before.
	Since time.Time

	prices *prices.List
	run    *run
}

// New returns a Reader that compares costs with a list; nil is [prices.BuiltIn].
func New(list *prices.List) *Reader {
	if list == nil {
		list = prices.BuiltIn()
	}
	return &Reader{prices: list}
}

// Decode is calls.Options.Decode.
func (r *Reader) Decode(path string, head []byte) calls.Decoder {
	if path == "" {
		return r.rest()
	}
	begin := programOf(path, head)
	if begin == nil {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.ModTime().Before(r.Since) {
		return func(io.Reader) iter.Seq2[calls.Record, error] { return func(func(calls.Record, error) bool) {} }
	}
	if r.run == nil {
		r.run = newRun(r)
	}
	return func(in io.Reader) iter.Seq2[calls.Record, error] {
		return func(yield func(calls.Record, error) bool) { r.run.read(path, in, begin, yield) }
	}
}

// Read makes options read session files, too.
func (r *Reader) Read(o *calls.Options) { o.Decode, o.Join = r.Decode, r.Join }

// rest returns what yields the records of the run, which ends.
func (r *Reader) rest() calls.Decoder {
	run := r.run
	if r.run = nil; run == nil {
		return nil
	}
	return func(io.Reader) iter.Seq2[calls.Record, error] {
		return func(yield func(calls.Record, error) bool) { run.finish(yield) }
	}
}

// maxBytes bounds what a run keeps. Beyond it the sessions that were read are complete, and those that follow are compared with each other
// only.
const maxBytes = 48 << 20

// run has what was read.
type run struct {
	*Reader
	store
	files  []string
	claude claudeRun
	codex  codexRun
	totals totalsRun
	notes  notes

	metered      meteredOf
	meteredCalls int
	copied       map[[2]string]*calls.Copies // by their file and the other one
	copiedOrder  []*calls.Copies
	generation   int // how often what was read was yielded
}

func newRun(r *Reader) *run {
	return &run{Reader: r, store: newStore(), copied: map[[2]string]*calls.Copies{}, metered: meteredOf{}, totals: totalsRun{}, claude: claudeRun{}}
}

// read reads a file.
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
		if f.bytes > 2*maxBytes && !f.split(yield) { // a file that is large alone
			return
		}
	}
}

// split yields what was read.
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

// finish yields the records.
func (r *run) finish(yield func(calls.Record, error) bool) {
	r.metered.sort()
	r.finishClaude()
	r.finishCodex()
	r.finishTotals()
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

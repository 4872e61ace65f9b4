package calls

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/once"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// ErrUnsupported is the cause of the error of a session file whose format cannot be read.
var ErrUnsupported = errors.New("calls: unsupported format")

var (
	errDatabase = fmt.Errorf("%w: it is a database of SQLite, as opencode writes; its calls are in no sum", ErrUnsupported)
	errZstd     = fmt.Errorf("%w: it is compressed by zstd; unpack it first", ErrUnsupported)
)

// Sessions yields the calls in session files of agent programs: Claude Code, Codex, Gemini CLI, and the files of opencode. [Read], [Sum]
// and report.Read accept the same paths; the content of a file shows the program. Without paths they are those of [SessionPaths].
//
// A record has Session set, the labels program, project and session, and no cost yet. A call that is repeated, in one file or in several,
// is yielded once. ID is the id of the response with Claude Code and newer versions of Codex, else an id of the program, or "". The files
// do not have failed calls, fees, and how a call was paid, and only those of Claude Code state a tier. docs/sessions.md has the details.
//
// A line that cannot be read is a [*LineError], and the others are still read. The cause for a database of opencode, and for a file that
// is compressed by zstd, is [ErrUnsupported]. No error contains a part of a conversation. A line has at most 16 MiB.
func Sessions(paths ...string) iter.Seq2[Record, error] {
	if len(paths) == 0 {
		paths = SessionPaths()
	}
	return Read(paths...)
}

// sessionProgram is a program that writes session files, recognized by the keys of a line. lines returns what reads the lines of a file.
type sessionProgram struct {
	name  string
	keys  []string
	lines func(*session) func()
}

var sessionPrograms = []sessionProgram{
	{"gemini-cli", []string{"projectHash", "$set"}, geminiLines},
	{"opencode", []string{"sessionID", "parentID"}, opencodeLines},
	{"", []string{"time"}, nil}, // a calls file
	{"codex", []string{"payload", "instructions"}, codexLines},
	{"claude-code", []string{"sessionId", "parentUuid", "leafUuid", "messageId"}, claudeLines},
}

// programOf returns the program of a file that begins with head; the zero value for other files. The last line may be cut.
func programOf(head []byte) sessionProgram {
	var d jsonread.Decoder
	for more := true; more; _, head, more = bytes.Cut(head, []byte{'\n'}) {
		d.Reset(head)
		var keys []string
		members := d.Object()
		for err := error(nil); err == nil && members.Next(); err = d.Skip() {
			keys = append(keys, string(members.Key()))
		}
		for _, p := range sessionPrograms {
			if slices.ContainsFunc(p.keys, func(key string) bool { return slices.Contains(keys, key) }) {
				return p
			}
		}
	}
	return sessionProgram{}
}

// sessions is what the session files of a run share: the ids of the calls, and the counts in the sessions of Codex.
type sessions struct {
	seen  once.Seen
	codex map[string][]codexTokens
}

// session reads the session file of a program.
type session struct {
	sessionDecoder
	*sessions

	source  *blocks
	program string
	read    func() // the line
	number  int    // of the line
	buffer  []byte
	labels  map[string]string // of the last call

	// open are the calls whose lines may be repeated, in their order, and ready those that are final.
	open, ready []*sessionCall
	byID        map[string]*sessionCall
}

// sessionCall is a call, or the error of a line.
type sessionCall struct {
	Record
	line   int
	copied bool // from another agent of the session
	err    error
}

// open returns the reader of a file: source, or if it is a session file a session.
func (s *sessions) open(source *blocks, in *bufio.Reader) (blockReader, error) {
	_, _ = in.Peek(1) // reads what is there
	head, _ := in.Peek(in.Buffered())
	switch {
	case bytes.HasPrefix(head, []byte("SQLite format 3")):
		return nil, errDatabase
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return nil, errZstd
	}
	p := programOf(head)
	if p.lines == nil {
		return source, nil
	}
	source.longest = 16 << 20
	if first, _, _ := bytes.Cut(head, []byte{'\n'}); string(bytes.TrimSpace(first)) == "{" { // one object, which is read as a line
		text, err := io.ReadAll(io.LimitReader(in, int64(source.longest)+1))
		if err != nil {
			return nil, err
		}
		source.in = bytes.NewReader(bytes.ReplaceAll(text, []byte{'\n'}, []byte{' '}))
	}
	one := &session{sessions: s, source: source, program: p.name, byID: map[string]*sessionCall{}}
	one.read = p.lines(one)
	return one, nil
}

// next returns the next call as a block, or an error as blocks.next does.
func (s *session) next(buffer []byte) (block, error) {
	for len(s.ready) == 0 {
		b, err := s.source.next(s.buffer)
		s.buffer = b.data
		if errors.Is(err, io.EOF) && len(s.open) > 0 {
			s.release(len(s.open))
		} else if err != nil {
			return block{data: buffer[:0]}, err
		}
		for number, line := range b.lines() {
			s.readLine(number, line)
		}
	}
	b := block{file: s.source.file, data: buffer[:0]}
	n := slices.IndexFunc(s.ready, func(c *sessionCall) bool { return c.err != nil })
	switch n {
	case 0:
		err := s.ready[0].err
		s.ready = s.ready[1:]
		return b, err
	case -1:
		n = len(s.ready)
	}
	b.calls, s.ready = s.ready[:n:n], s.ready[n:]
	return b, nil
}

func (s *session) readLine(number int, line []byte) {
	s.Reset(line)
	s.number, s.wrong = number, nil
	if s.Next() == jsonread.Object {
		s.read()
	}
	if !s.AtEnd() {
		s.fail(errSessionLine, errSessionLine)
	}
	if errors.Is(s.wrong, errSessionLine) && line[len(line)-1] != '\n' {
		s.wrong = errCut
	}
	if s.wrong != nil {
		s.ready = append(s.ready, &sessionCall{err: &LineError{s.source.file, number, s.wrong}})
	}
}

// mostOpen is the number of calls whose lines may be repeated: those of one call are near each other.
const mostOpen = 1000

// add adds a call, which was at a time of RFC 3339. A later line with the ID of an open call replaces it, unless the line is a copy. A
// line of any other earlier call is left out.
func (s *session) add(r Record, at string, copied bool) {
	c := s.byID[r.ID]
	if c != nil && copied && !c.copied {
		return
	}
	var err error
	if r.Provider, err = named(string(r.Provider)); err != nil { // a name that other packages do not accept
		r.Provider = "unknown"
	}
	if r.Time, err = parseTime([]byte(at)); err != nil {
		s.fail(err, err)
		return
	}
	if r.Model == "" {
		r.Unpriced = "the session file does not state the model"
	}
	r.Session, r.Complete = true, true
	if c == nil {
		if _, first := s.seen.Add(once.Key(s.program, r.ID, time.Time{}), time.Time{}, 0); !first { // at whatever time
			return
		}
		if len(s.open) == mostOpen {
			s.release(mostOpen / 2)
		}
		c = &sessionCall{}
		s.open = append(s.open, c)
	}
	*c = sessionCall{Record: r, line: s.number, copied: copied}
	if r.ID != "" {
		s.byID[r.ID] = c
	}
}

// release makes the first calls final.
func (s *session) release(n int) {
	for _, c := range s.open[:n] {
		delete(s.byID, c.ID)
		s.ready = append(s.ready, c)
	}
	s.open = slices.Delete(s.open, 0, n)
}

// labelsOf returns the labels of a call, which are often those of the last one. The working directory may be one of Windows.
func (s *session) labelsOf(cwd, id string) map[string]string {
	project := cwd[strings.LastIndexAny(cwd, `/\`)+1:]
	if s.labels["session"] != id || s.labels["project"] != project || s.labels == nil {
		s.labels = map[string]string{"program": s.program, "project": project, "session": id}
	}
	return s.labels
}

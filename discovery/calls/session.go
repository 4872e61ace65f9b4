package calls

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery/internal/once"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// ErrUnsupported is the cause of the error of a session file whose format cannot be read.
var ErrUnsupported = errors.New("calls: unsupported format")

var (
	errDatabase = fmt.Errorf("%w: it is a database of SQLite, as opencode writes; its calls are in no sum", ErrUnsupported)
	errZstd     = fmt.Errorf("%w: it is compressed by zstd; unpack it first", ErrUnsupported)
)

// sessionProgram is a program that writes session files, recognized by the keys of a line. begin sets what reads the lines of a file.
type sessionProgram struct {
	name  string
	keys  []string
	begin func(*session)
}

var sessionPrograms = []sessionProgram{
	{"gemini-cli", []string{"projectHash", "$set"}, beginGemini},
	{"opencode", []string{"sessionID", "parentID"}, beginOpencode},
	{"", []string{"time"}, nil}, // a calls file
	{"codex", []string{"payload", "instructions"}, beginCodex},
	{"claude-code", []string{"sessionId", "parentUuid", "leafUuid", "messageId"}, beginClaude},
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
	codex map[string][]sessionCounts
}

// session reads the session file of a program, and returns its calls as lines of a calls file.
type session struct {
	jsonread.Decoder
	*sessions

	source  *blocks
	program string
	// fields are those of a line, which are read into line, and take is called when they are read.
	fields sessionFields
	line   sessionLine
	number int   // of the line
	wrong  error // the first one of the line, after which no member is read
	take   func()

	// provider, api and labels are JSON, as they are in the lines of calls. labelled is what the labels were made of.
	provider, api, labels []byte
	labelled              string

	// open are the calls whose lines may be repeated, in their order.
	open []*openCall
	byID map[string]*openCall
	// ready has the lines of the other calls, and numbers those of their lines in the file. errs are of lines that cannot be read.
	ready   []byte
	numbers []int
	errs    []error
	buffer  []byte // kept to be reused
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
	if p.begin == nil {
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
	one := &session{sessions: s, source: source, program: p.name, byID: map[string]*openCall{}}
	p.begin(one)
	return one, nil
}

// next returns the next calls as a block, or an error as blocks.next does.
func (s *session) next(buffer []byte) (block, error) {
	for {
		switch {
		case len(s.errs) > 0:
			err := s.errs[0]
			s.errs = s.errs[1:]
			return block{data: buffer[:0]}, err
		case len(s.ready) > 0:
			b := block{file: s.source.file, data: s.ready, numbers: s.numbers}
			s.ready, s.numbers = buffer[:0], nil
			return b, nil
		}
		b, err := s.source.next(s.buffer)
		s.buffer = b.data
		if err != nil && (!errors.Is(err, io.EOF) || len(s.open) == 0) {
			return block{data: buffer[:0]}, err
		}
		for err != nil && len(s.open) > 0 { // at the end
			s.release()
		}
		for number, line := range b.lines() {
			s.readLine(number, line)
		}
	}
}

func (s *session) readLine(number int, line []byte) {
	s.Reset(line)
	s.number, s.wrong = number, nil
	if s.Next() == jsonread.Object {
		s.read()
	}
	if !s.AtEnd() {
		s.fail(errSessionLine)
	}
	if errors.Is(s.wrong, errSessionLine) && line[len(line)-1] != '\n' {
		s.wrong = errCut
	}
	if s.wrong != nil {
		s.errs = append(s.errs, &LineError{s.source.file, number, s.wrong})
	}
}

// read reads an object into line, and takes it.
func (s *session) read() {
	s.object(s.fields)
	if s.wrong == nil {
		s.take()
	}
	s.line = sessionLine{usage: s.line.usage[:0]}
}

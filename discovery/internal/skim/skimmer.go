package skim

import (
	"errors"
	"slices"
	"strconv"

	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/internal/eventstream"
)

const (
	// maxKept bounds the parts kept from a document and in the response.Reader together.
	// With maxHeld and maxLatest it's below 64 KiB.
	maxKept = response.MaxState
	// maxIdle bounds the buffer kept between documents.
	maxIdle = 2 << 10
	// maxKey exceeds all keys that are kept.
	maxKey = 40
)

var (
	errTooLarge = errors.New("its counts have more than 48 KiB")
	errNotJSON  = errors.New("the response is not JSON")
)

// Skimmer copies the fields in root from a JSON document, which arrives in pieces of any
// size. Everything else, mainly content, is skipped without copying. Syntax is checked
// only where needed, because the copy is parsed afterwards.
//
// The elements of a top-level array are separate documents.
type Skimmer struct {
	root *response.Node
	// each receives each document's copy, which is valid until it returns.
	each func(document []byte)

	state  skimState
	kept   []byte
	other  int         // bytes kept elsewhere
	fields uint64      // bits of the fields kept from this document
	stack  []container // partly kept containers
	array  bool        // in a top-level array
	lines  bool        // other documents may follow
	ended  bool        // after the document or the top-level array
	err    error
	// stopped is set once the rest can't matter, even after a Reset.
	stopped bool

	key  []byte
	keep bool           // keep the value
	next *response.Node // place of the next value, or nil if it's skipped

	depth   int // open containers in a value that is copied or skipped whole
	escaped bool
	long    longText
}

// container is a partly kept object or array.
type container struct {
	node   *response.Node
	close  byte
	filled bool // a value was kept
}

type skimState uint8

const (
	beforeValue skimState = iota
	beforeKey
	inKey
	beforeColon
	inString // in a value that is copied or skipped
	inWhole  // in a container that is copied or skipped
	inScalar
	afterValue
)

// NewSkimmer returns a Skimmer that passes each document's copy to each. The copy is
// valid until each returns.
func NewSkimmer(root *response.Node, each func(document []byte)) Skimmer {
	return Skimmer{root: root, each: each}
}

// Write reads the next piece.
func (s *Skimmer) Write(p []byte) {
	for len(p) > 0 && s.err == nil && !s.stopped {
		n := 1
		switch s.state {
		case inKey, inString:
			n = s.text(p)
		case inWhole:
			n = s.whole(p)
		case inScalar:
			n = s.scalar(p)
		default:
			s.step(p[0])
		}
		p = p[n:]
	}
}

// step reads a byte between keys and values.
func (s *Skimmer) step(c byte) {
	switch {
	case c == ' ' || c == '\n' || c == '\r' || c == '\t':
	case s.ended:
		s.err = errNotJSON
	case c == '}' || c == ']':
		s.leave(c)
	case s.state == beforeKey && c == '"':
		s.state, s.key = inKey, s.key[:0]
	case s.state == beforeColon && c == ':':
		s.state = beforeValue
	case s.state == afterValue && c == ',':
		s.separate()
	case s.state == beforeValue:
		s.enter(c)
	default:
		s.err = errNotJSON
	}
}

func (s *Skimmer) separate() {
	s.state = beforeValue
	if top := s.top(); top != nil && top.close == '}' {
		s.state = beforeKey
	}
}

func (s *Skimmer) enter(c byte) {
	switch top := s.top(); {
	case top == nil && c == '[' && !s.array:
		s.array = true
		return
	case top == nil && c != '{':
		s.err = errNotJSON
		return
	case top == nil:
		s.next = s.root
	case top.close == ']':
		s.next = top.node.Element
	}
	n := s.next
	selects := n != nil && ((c == '{' && (n.Members != nil || n.Base != nil)) || (c == '[' && n.Element != nil))
	s.keep = selects || (n != nil && n.Field != response.None)
	s.begin()
	if s.keep {
		s.fields |= 1 << n.Field
	}
	if s.keep && !selects && n.Field.IsFlag() && (c == '{' || c == '[') {
		s.copy(c, c+2)
		s.keep = false
	}
	switch {
	case selects:
		s.stack = append(s.stack, container{node: n, close: c + 2}) // } and ] follow { and [ by two
		s.state = beforeKey
		if c == '[' {
			s.state = beforeValue
		}
	case c == '{' || c == '[':
		s.state, s.depth = inWhole, 1
	case c == '"':
		s.state = inString
		s.long = longText{begin: len(s.kept) + 1}
	default:
		s.state = inScalar
	}
	s.copy(c)
}

// begin copies what precedes a kept value: a comma, and its key.
func (s *Skimmer) begin() {
	top := s.top()
	if !s.keep || top == nil {
		return
	}
	if top.filled {
		s.copy(',')
	}
	top.filled = true
	if top.close == '}' {
		s.copy('"')
		s.copy(s.key...)
		s.copy('"', ':')
	}
}

func (s *Skimmer) leave(c byte) {
	top := s.top()
	switch {
	case top == nil && s.array && c == ']':
		s.array, s.ended = false, true
	case top == nil || c != top.close || s.state == beforeColon:
		s.err = errNotJSON
	default:
		s.stack = s.stack[:len(s.stack)-1]
		s.keep = true
		s.copy(c)
		s.finish()
	}
}

func (s *Skimmer) finish() {
	s.state = afterValue
	if len(s.stack) > 0 || s.err != nil {
		return
	}
	s.each(s.kept)
	if cap(s.kept) > maxIdle {
		s.kept = nil
	}
	s.kept, s.fields, s.ended = s.kept[:0], 0, !s.array && !s.lines
	if s.lines {
		s.state = beforeValue
	}
}

// Reset prepares for another document.
func (s *Skimmer) Reset() {
	if s.stopped {
		return
	}
	*s = Skimmer{root: s.root, each: s.each, other: s.other, kept: s.kept[:0], stack: s.stack[:0], key: s.key[:0]}
}

func (s *Skimmer) top() *container {
	if len(s.stack) == 0 {
		return nil
	}
	return &s.stack[len(s.stack)-1]
}

// text reads key or string bytes, and returns their number.
func (s *Skimmer) text(p []byte) int {
	if s.escaped {
		s.escaped = false
		s.take(p[:1])
		return 1
	}
	n := eventstream.IndexEither(p, '"', '\\', 64)
	if n == len(p) {
		s.take(p)
		return n
	}
	if p[n] == '"' {
		s.take(p[:n])
		s.quote()
		return n + 1
	}
	s.take(p[:n+1])
	s.escaped = true
	return n + 1
}

func (s *Skimmer) take(p []byte) {
	if s.state == inString {
		s.copyText(p)
	} else if len(s.key) <= maxKey {
		s.key = append(s.key, p[:min(len(p), maxKey+1)]...)
	}
}

func (s *Skimmer) quote() {
	switch {
	case s.state == inKey:
		s.next = s.top().node.Member(s.key)
		s.state = beforeColon
	case s.depth > 0:
		s.copy('"')
		s.state = inWhole
	default:
		if s.long.hashed && s.keep && !s.next.Field.IsName() {
			s.kept = strconv.AppendUint(s.kept, s.long.hash, 16)
		}
		s.copy('"')
		s.finish()
	}
}

// longText is a string longer than response.MaxName. As a name, it's invalid and kept as
// "". For other strings, such as search queries, only the number of different ones
// matters, so we keep a hash.
type longText struct {
	begin  int // start of the string in kept
	hashed bool
	hash   uint64
}

func (s *Skimmer) copyText(p []byte) {
	if !s.keep || s.depth > 0 {
		s.copy(p...)
		return
	}
	if !s.long.hashed && len(s.kept)-s.long.begin+len(p) <= response.MaxName {
		s.copy(p...)
		return
	}
	if !s.long.hashed {
		s.long.hashed, s.long.hash = true, fnvOffset
		s.long.add(s.kept[s.long.begin:])
		s.kept = s.kept[:s.long.begin]
	}
	s.long.add(p)
}

const fnvOffset, fnvPrime = 14695981039346656037, 1099511628211

// add updates the FNV-1a hash.
func (t *longText) add(p []byte) {
	for _, c := range p {
		t.hash = (t.hash ^ uint64(c)) * fnvPrime
	}
}

// whole reads a container that is copied or skipped, up to its end or a string, and
// returns the number of bytes.
func (s *Skimmer) whole(p []byte) int {
	for i, c := range p {
		switch c {
		case '{', '[':
			s.depth++
		case '}', ']':
			s.depth--
		case '"':
			s.state = inString
		}
		if c == '"' || s.depth == 0 {
			s.copy(p[:i+1]...)
			if s.depth == 0 {
				s.finish()
			}
			return i + 1
		}
	}
	s.copy(p...)
	return len(p)
}

// scalar reads a number or literal, and returns the number of bytes.
func (s *Skimmer) scalar(p []byte) int {
	n := slices.IndexFunc(p, func(c byte) bool { return c <= ' ' || c == ',' || c == '}' || c == ']' })
	if n < 0 {
		n = len(p)
	}
	s.copy(p[:n]...)
	if n < len(p) {
		s.finish()
	}
	return n
}

func (s *Skimmer) copy(p ...byte) {
	switch {
	case !s.keep:
	case s.other+len(s.kept)+len(p) > maxKept:
		s.err, s.stopped = errTooLarge, true
	default:
		s.kept = append(s.grown(len(p)), p...)
	}
}

// grown makes room for n bytes in kept. Its capacity never exceeds maxKept.
func (s *Skimmer) grown(n int) []byte {
	if len(s.kept)+n <= cap(s.kept) {
		return s.kept
	}
	return append(make([]byte, 0, min(2*(len(s.kept)+n), maxKept)), s.kept...)
}

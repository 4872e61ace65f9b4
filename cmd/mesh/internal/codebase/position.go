package codebase

import (
	"strings"
	"unicode/utf8"
)

// Position is a place of a text.
type Position struct {
	// Line and Column count from 1. A column is a character; a byte that is not UTF-8 is one.
	Line, Column int
	// Ignored means that a comment accepts what is found on the line.
	Ignored bool

	text string
	at   int
}

// Begin returns a position that Move moves through a text.
func Begin(text string) Position { return Position{Line: 1, text: text} }

// Move moves the position to an index that is not before it. It searches each line for comments once: a line may be the whole of a large
// file.
func (p *Position) Move(at int) {
	skipped := p.text[p.at:at]
	if begin := strings.LastIndexByte(skipped, '\n') + 1; begin > 0 || p.Column == 0 {
		p.Line += strings.Count(skipped, "\n")
		p.Column = 1
		p.Ignored = isIgnored(p.text[p.at+begin:])
		skipped = skipped[begin:]
	}
	p.Column += utf8.RuneCountInString(skipped)
	p.at = at
}

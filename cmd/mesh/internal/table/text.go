package table

import (
	"strings"
	"unicode"
)

// Line replaces line breaks, control characters and marks for the writing direction,
// since a name must not control the terminal.
func Line(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case Controls(r):
			return unicode.ReplacementChar
		default:
			return r
		}
	}, text)
}

// Controls reports whether a terminal may act on r instead of showing it.
func Controls(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// Width returns how many columns text takes. It must not have control characters.
func Width(text string) int {
	n := 0
	for _, r := range text {
		n += widthOf(r)
	}
	return n
}

// widthOf is an upper bound, since breaking a line too early does no harm. It counts
// every character from U+1100 on as wide, except for dashes, quotes, currencies, arrows
// and operators (U+2010 to U+22FF), which thread names use.
func widthOf(r rune) int {
	if r < 0x1100 || r >= 0x2010 && r <= 0x22FF {
		return 1
	}
	return 2
}

// Cut shortens a line that exceeds width columns and adds an ellipsis. A width of 0 means
// no limit.
func Cut(line string, width int) string {
	if width == 0 || Width(line) <= width {
		return line
	}
	return line[:Fitting(line, width-1)] + "…"
}

// Shorten cuts text after most characters, with an ellipsis as the last one.
func Shorten(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// Fitting returns how many bytes at the start of line fit into width columns.
func Fitting(line string, width int) int {
	for i, r := range line {
		if width -= widthOf(r); width < 0 {
			return i
		}
	}
	return len(line)
}

// indent starts continuation lines.
const indent = "  "

// Paragraph wraps text at spaces into lines with up to width columns, and indents
// continuation lines. Words that are too long wrap at hyphens and dots and are never cut.
// A width of 0 means no limit.
func Paragraph(text string, width int) string {
	if width <= 0 || Width(text) <= width {
		return text
	}
	var pieces []string
	for word := range strings.SplitAfterSeq(text, " ") {
		if Width(word)+len(indent) > width {
			pieces = append(pieces, split(word)...)
		} else {
			pieces = append(pieces, word)
		}
	}
	return strings.Join(fill("", pieces, width), "\n")
}

// separators allow a line break after them.
const separators = "-./:_ "

// split keeps separators at the end of pieces, but hyphens that start an option, as in
// (--all), stay with it.
func split(name string) (pieces []string) {
	begin := 0
	for i := range len(name) {
		if !strings.Contains(separators, name[i:i+1]) {
			continue
		}
		if name[i] == '-' && (i == begin || name[i-1] == '(' || name[i-1] == '-') {
			continue
		}
		pieces = append(pieces, name[begin:i+1])
		begin = i + 1
	}
	if begin < len(name) {
		pieces = append(pieces, name[begin:])
	}
	return pieces
}

// longest returns the width that the widest piece needs, with its indent.
func longest(name string) int {
	most := 0
	for i, piece := range split(name) {
		width := Width(strings.TrimRight(piece, " "))
		if i > 0 {
			width += len(indent)
		}
		most = max(most, width)
	}
	return most
}

// fill joins pieces into lines up to width columns, starting with first. Pieces that are
// too wide get a separate line.
func fill(first string, pieces []string, width int) []string {
	lines := []string{first}
	for _, piece := range pieces {
		last := len(lines) - 1
		if line := lines[last]; line != "" && line != indent && Width(line)+Width(strings.TrimRight(piece, " ")) > width {
			lines = append(lines, indent)
			last++
		}
		lines[last] += piece
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

package table

import (
	"strings"
	"unicode"
)

// Line returns text without line breaks, control characters and marks of the writing direction: a name must not control the terminal.
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

// Controls reports whether a terminal may act on a character instead of showing it.
func Controls(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// Width returns the columns that a text without control characters takes.
func Width(text string) int {
	n := 0
	for _, r := range text {
		n += widthOf(r)
	}
	return n
}

// widthOf is an upper bound: every character from U+1100 on counts as a wide one, except the dashes, quotes, currencies, arrows and
// operators from U+2010 to U+22FF, such as the arrow in the name of a thread. A line that is broken too early does no harm.
func widthOf(r rune) int {
	if r < 0x1100 || r >= 0x2010 && r <= 0x22FF {
		return 1
	}
	return 2
}

// Cut returns the beginning of a line that fits into width columns, with an ellipsis if it is cut. A width of 0 has no limit.
func Cut(line string, width int) string {
	if width == 0 || Width(line) <= width {
		return line
	}
	return line[:Fitting(line, width-1)] + "…"
}

// Fitting returns the number of bytes at the beginning of a line that fit into width columns.
func Fitting(line string, width int) int {
	for i, r := range line {
		if width -= widthOf(r); width < 0 {
			return i
		}
	}
	return len(line)
}

// indent is before each line of a text but the first.
const indent = "  "

// Paragraph breaks a text at spaces into lines of at most width columns, each but the first behind an indent. A longer word, such as a
// name, is broken at its hyphens and dots, and never cut. A width of 0 has no limit.
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

// separators end the pieces of a name, between which it may wrap.
const separators = "-./:_ "

// split returns the pieces of a name, each with the separator at its end. Hyphens that begin an option, as in (--all), stay with it.
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

// longest returns the width of the longest piece of a name with its indent.
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

// fill joins pieces to lines of at most width columns, the first behind a text and each other one behind an indent. A piece that does
// not fit has a line. Lines have no blanks at their ends.
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

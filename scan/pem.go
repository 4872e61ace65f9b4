package scan

import "strings"

const (
	pemBegin    = "-----BEGIN "
	pemEnd      = "-----END "
	maxPEMLabel = 24 // characters before PRIVATE KEY: RSA, EC, OPENSSH, ENCRYPTED, PGP …
	minPEMBody  = 20
	minPEMLine  = 40 // of base64, if the last line is missing
)

// pemEnd returns the end of the PEM private key that begins at i, or 0 if it is not a key.
func (s *search) pemEnd(i int) int {
	body, ok := pemLine(s.content, i, pemBegin)
	if !ok {
		return 0
	}
	for i := body + minPEMBody; i < len(s.content) && !s.noPEMEnd; {
		last := strings.Index(s.content[i:], pemEnd)
		if last < 0 {
			break
		}
		if end, ok := pemLine(s.content, i+last, pemEnd); ok {
			return end
		}
		i += last + 1
	}
	s.noPEMEnd = true // nor after a later first line: do not search again
	return truncatedPEM(s.content, body)
}

// pemLine matches start, a label that ends in PRIVATE KEY, and five hyphens at i. It returns their end.
func pemLine(content string, i int, start string) (int, bool) {
	i += len(start)
	end := i
	for end < len(content) && (content[end] == ' ' || classes[content[end]]&upper != 0) {
		end++
		if end-i > maxPEMLabel+len("PRIVATE KEY BLOCK") {
			return 0, false
		}
	}
	label, found := strings.CutSuffix(strings.TrimSuffix(content[i:end], " BLOCK"), "PRIVATE KEY")
	if !found || len(label) > maxPEMLabel || !strings.HasPrefix(content[end:], "-----") {
		return 0, false
	}
	return end + len("-----"), true
}

// truncatedPEM returns the end of the base64 lines that start at body, or 0 if there are none. Line ends may be escapes, as in
// JSON, whose letters are base64 characters.
func truncatedPEM(content string, body int) int {
	longest := 0
	for i := body; ; i++ {
		end := endOf(base64, content, i, len(content))
		longest = max(longest, end-i)
		if end == len(content) || !isPEMSpace(content[end]) {
			if longest < minPEMLine {
				return 0
			}
			return end
		}
		i = end
	}
}

// isPEMSpace reports whether b separates base64 lines. A backslash begins an escape.
func isPEMSpace(b byte) bool {
	return b == ' ' || b == '\t' || b == '\r' || b == '\n' || b == '\\'
}

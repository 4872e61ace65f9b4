package scan

// class is a set of byte kinds, one bit each.
type class uint8

const (
	word   class = 1 << iota // A-Z a-z 0-9 _ : what \b goes by
	alnum                    // A-Z a-z 0-9
	upper                    // A-Z 0-9
	hex                      // a-f 0-9, the lower-case digits that rule 6 wants
	u                        // A-Z a-z 0-9 _ - : the source document's U
	base64                   // A-Z a-z 0-9 / + = : what rule 10 is made of
	dotted                   // U and the full stop
)

// classes holds the kinds of every byte. Bytes from 0x80 up have none, so UTF-8, valid or not, is never part of a match.
var classes = [256]class{
	'_': word | u | dotted, '-': u | dotted, '.': dotted, '/': base64, '+': base64, '=': base64,

	'0': digit, '1': digit, '2': digit, '3': digit, '4': digit, '5': digit, '6': digit, '7': digit, '8': digit, '9': digit,

	'a': low | hex, 'b': low | hex, 'c': low | hex, 'd': low | hex, 'e': low | hex, 'f': low | hex, 'g': low, 'h': low,
	'i': low, 'j': low, 'k': low, 'l': low, 'm': low, 'n': low, 'o': low, 'p': low, 'q': low, 'r': low, 's': low,
	't': low, 'u': low, 'v': low, 'w': low, 'x': low, 'y': low, 'z': low,

	'A': capital, 'B': capital, 'C': capital, 'D': capital, 'E': capital, 'F': capital, 'G': capital, 'H': capital,
	'I': capital, 'J': capital, 'K': capital, 'L': capital, 'M': capital, 'N': capital, 'O': capital, 'P': capital,
	'Q': capital, 'R': capital, 'S': capital, 'T': capital, 'U': capital, 'V': capital, 'W': capital, 'X': capital,
	'Y': capital, 'Z': capital,
}

const (
	low     = word | alnum | u | base64 | dotted
	capital = low | upper
	digit   = capital | hex
)

// endOf returns the first place from i on, and before limit, whose byte is not of class c; limit when there is none.
func endOf(c class, content string, i, limit int) int {
	for i < limit && classes[content[i]]&c != 0 {
		i++
	}
	return i
}

package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/internal/table"
)

// JSON writes value as JSON with this indentation; with "" it is one line. Characters that control a terminal are escaped,
// also those that encoding/json leaves as they are: a terminal takes U+009B for the start of an escape sequence.
func JSON(w io.Writer, value any, indent string) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(value); err != nil {
		return err
	}
	_, err := w.Write(escape(text.Bytes(), escaped))
	return err
}

// escape replaces characters by \u and their number.
func escape(text []byte, escaped func(rune) bool) []byte {
	if utf8.Valid(text) && bytes.IndexFunc(text, escaped) < 0 {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		if escaped(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// escaped reports whether encoding/json leaves a character as it is that controls a terminal: the delete character, and some outside
// ASCII.
func escaped(r rune) bool { return r >= 0x7f && table.Controls(r) }

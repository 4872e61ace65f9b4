// Package secret holds a text that must not be seen.
package secret

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// Redacted is what stands for a secret wherever it would be seen.
const Redacted = "[REDACTED]"

// Secret is a text that prints, logs and marshals as "[REDACTED]". [Secret.Reveal] is the only door. The zero value is
// the empty secret. It is immutable and safe for concurrent use.
//
// The text sits behind a pointer on purpose: fmt cannot call the methods of a Secret in an unexported field of another
// struct and prints what it finds there, which is then an address. So == compares places, not texts; compare what Reveal
// returns. And what was marshalled cannot be read back: the text is gone.
type Secret struct{ text *string }

// New returns text as a Secret.
func New(text string) Secret { return Secret{text: &text} }

// Reveal returns the text itself.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// String returns "[REDACTED]".
func (s Secret) String() string { return Redacted }

// Format prints "[REDACTED]" for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, Redacted) }

// LogValue returns "[REDACTED]" for log/slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(Redacted) }

// MarshalText returns "[REDACTED]", for JSON and every other text encoding.
func (s Secret) MarshalText() ([]byte, error) { return []byte(Redacted), nil }

// UnmarshalJSON takes the text from a JSON string. The error for anything else does not quote it.
func (s *Secret) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return errors.New("secret: not a JSON string")
	}
	*s = New(text)
	return nil
}

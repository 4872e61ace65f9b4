// Package secret keeps credentials out of everything that is printed.
//
//	token := secret.New("…")
//	fmt.Println(token)                                       // [REDACTED]
//	body = secret.NewRedactor(token).Redact(body)            // a server echoed the token, or a part of it
//
// A [Secret] is a value that never prints its text. A [Redactor] removes known secrets from a text that came from outside.
package secret

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// Redacted replaces a secret wherever it would be visible.
const Redacted = "[REDACTED]"

// Secret is a text that prints, logs and marshals as "[REDACTED]". Only [Secret.Reveal] returns it. The zero value is the
// empty secret. It is immutable and safe for concurrent use.
//
// The text is behind a pointer because fmt does not call the methods of a Secret in an unexported field of another struct: it
// prints the field, which is then an address. For the same reason == compares addresses; use [Secret.Equal]. It is encrypted
// because the differences that testify and go-cmp print come from unexported fields, behind pointers too. A marshalled Secret
// cannot be read back.
type Secret struct{ sealed *[]byte }

// New returns text as a Secret.
func New(text string) Secret {
	sealed := seal(text)
	return Secret{sealed: &sealed}
}

// Reveal returns the text.
func (s Secret) Reveal() string {
	if s.sealed == nil {
		return ""
	}
	return unseal(*s.sealed)
}

// Equal reports whether two secrets have the same text. reflect.DeepEqual, testify and go-cmp find the same.
func (s Secret) Equal(other Secret) bool { return s.Reveal() == other.Reveal() }

// String returns "[REDACTED]".
func (s Secret) String() string { return Redacted }

// Format prints "[REDACTED]" for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, Redacted) }

// LogValue returns "[REDACTED]" for log/slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(Redacted) }

// MarshalText returns "[REDACTED]", for JSON and every other text encoding.
func (s Secret) MarshalText() ([]byte, error) { return []byte(Redacted), nil }

// UnmarshalJSON sets the text from a JSON string. The error for any other value does not contain the value.
func (s *Secret) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return errors.New("secret: not a JSON string")
	}
	*s = New(text)
	return nil
}

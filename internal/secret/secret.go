// Package secret keeps credentials out of everything that is printed.
//
//	token := secret.New("…")
//	fmt.Println(token)                                       // [REDACTED]
//	body = secret.NewRedactor(token).Redact(body)            // a server echoed the token, or a part of it
//
// A [Secret] is a value that never prints its text. A [Redactor] removes known secrets from a text that came from outside.
package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"sync"
)

// Redacted replaces a secret wherever it would be visible.
const Redacted = "[REDACTED]"

// Secret is a text that prints, logs and marshals as "[REDACTED]". Only [Secret.Reveal] returns it. The zero value is the
// empty secret. It is immutable, comparable with ==, and safe for concurrent use.
//
// fmt, testify and go-cmp print the unexported fields of a struct without calling the methods of their values. The text is
// therefore masked: what they print shows only how long it is and which secrets are equal. The key of the masks is in the same
// memory, so they do not protect a secret from somebody who reads the memory of the process.
//
// A marshalled Secret cannot be read back.
type Secret struct{ masked, nonce string }

// New returns text as a Secret.
func New(text string) Secret {
	if text == "" {
		return Secret{}
	}
	sum := digest([]byte(text)) // depends on the text, so that no two texts have the same mask
	nonce := sum[:16]
	return Secret{masked: hex.EncodeToString(mask([]byte(text), nonce)), nonce: hex.EncodeToString(nonce)}
}

// Reveal returns the text.
func (s Secret) Reveal() string {
	masked, _ := hex.DecodeString(s.masked) // New has encoded both
	nonce, _ := hex.DecodeString(s.nonce)
	return string(mask(masked, nonce))
}

// mask masks text, or unmasks it.
func mask(text, nonce []byte) []byte {
	result := make([]byte, len(text))
	_, _ = mathrand.NewChaCha8(digest(nonce)).Read(result) // never fails
	subtle.XORBytes(result, result, text)
	return result
}

// digest returns a hash of data with a random key of the process.
func digest(data []byte) [32]byte {
	key := processKey()
	return sha256.Sum256(append(key[:], data...))
}

var processKey = sync.OnceValue(func() (key [32]byte) {
	_, _ = rand.Read(key[:]) // never fails
	return key
})

// Equal reports whether two secrets have the same text, for go-cmp.
func (s Secret) Equal(other Secret) bool { return s == other }

// String returns "[REDACTED]".
func (s Secret) String() string { return Redacted }

// Format prints "[REDACTED]" for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, Redacted) }

// LogValue returns "[REDACTED]" for log/slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(Redacted) }

// MarshalText returns "[REDACTED]", for JSON and every other text encoding.
func (s Secret) MarshalText() ([]byte, error) { return []byte(Redacted), nil }

// GobEncode returns nothing, so that a key does not leave the process with a query. The decoded Secret is empty.
func (s Secret) GobEncode() ([]byte, error) { return nil, nil }

// GobDecode sets the text to "".
func (s *Secret) GobDecode([]byte) error { *s = Secret{}; return nil }

// UnmarshalJSON sets the text from a JSON string. The error for any other value does not contain the value.
func (s *Secret) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return errors.New("mesh: a Secret must be a JSON string")
	}
	*s = New(text)
	return nil
}

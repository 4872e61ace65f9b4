// Package secret keeps credentials out of printed text.
//
//	token := secret.New("…")
//	fmt.Println(token)                                       // [REDACTED]
//	body = secret.NewRedactor(token).Redact(body)            // the server echoed the token, at least partly
//
// A [Secret] never prints its text. A [Redactor] removes known secrets from external
// text.
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

// Redacted is shown instead of a secret.
const Redacted = "[REDACTED]"

// Secret is a string that prints, logs and marshals as "[REDACTED]". Only [Secret.Reveal]
// returns it. The zero value is the empty secret. Secrets are immutable, comparable with
// ==, and safe for concurrent use. Marshaling loses the text.
//
// fmt, testify and go-cmp print unexported fields without calling methods, so the text is
// masked. Their output reveals only its length, and which secrets are equal. The mask's
// key is in the same process: masking doesn't protect against anyone who can read its
// memory.
type Secret struct{ masked, nonce string }

// New returns text as a Secret.
func New(text string) Secret {
	if text == "" {
		return Secret{}
	}
	sum := digest([]byte(text)) // different texts must have different masks
	nonce := sum[:16]
	return Secret{masked: hex.EncodeToString(mask([]byte(text), nonce)), nonce: hex.EncodeToString(nonce)}
}

// Reveal returns the secret text.
func (s Secret) Reveal() string {
	masked, _ := hex.DecodeString(s.masked) // encoded by New
	nonce, _ := hex.DecodeString(s.nonce)
	return string(mask(masked, nonce))
}

func mask(text, nonce []byte) []byte {
	result := make([]byte, len(text))
	_, _ = mathrand.NewChaCha8(digest(nonce)).Read(result) // never fails
	subtle.XORBytes(result, result, text)
	return result
}

// digest hashes data with a random key that is unique to the process.
func digest(data []byte) [32]byte {
	key := processKey()
	return sha256.Sum256(append(key[:], data...))
}

var processKey = sync.OnceValue(func() (key [32]byte) {
	_, _ = rand.Read(key[:]) // never fails
	return key
})

// Equal reports whether two secrets have the same text. go-cmp uses it.
func (s Secret) Equal(other Secret) bool { return s == other }

// String returns "[REDACTED]".
func (s Secret) String() string { return Redacted }

// Format prints "[REDACTED]" for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, Redacted) }

// LogValue returns "[REDACTED]" for log/slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(Redacted) }

// MarshalText returns "[REDACTED]" for JSON and other text encodings.
func (s Secret) MarshalText() ([]byte, error) { return []byte(Redacted), nil }

// GobEncode returns nothing, so that a gob never contains a key. The decoded Secret is
// empty.
func (s Secret) GobEncode() ([]byte, error) { return nil, nil }

// GobDecode sets s to the empty secret.
func (s *Secret) GobDecode([]byte) error { *s = Secret{}; return nil }

// UnmarshalJSON reads a JSON string. Its error never contains the value.
func (s *Secret) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return errors.New("mesh: a Secret must be a JSON string")
	}
	*s = New(text)
	return nil
}

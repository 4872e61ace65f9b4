package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// passed returns messages as the SDK reads them, and as a client reads them if the SDK
// writes them back.
func passed(t testing.TB, messages string) (read, written string) {
	t.Helper()
	var back bytes.Buffer
	in, out := newExactIDs().wrap(strings.NewReader(messages), &back, func([]byte) []byte { return nil })
	text, err := io.ReadAll(in)
	require.NoError(t, err)
	_, err = out.Write(text)
	require.NoError(t, err)
	return string(text), back.String()
}

func TestLongIDsAreTextsForTheSDKOnly(t *testing.T) {
	t.Parallel()
	for message, hides := range map[string]bool{
		`{"id":9007199254740993,"method":"ping"}`:                                                                 true,
		`{"id":-18446744073709551617,"method":"ping"}`:                                                            true,
		`{"method":"notifications/cancelled","params":{"requestId":9007199254740993}}`:                            true,
		`{"id":1,"method":"tools/call","params":{"_meta":{"progressToken":9007199254740993},"name":"mesh_wait"}}`: true,
		`[{"id":9007199254740993,"method":"ping"},{"id":2,"method":"ping"}]`:                                      true,
		`{"id":9007199254740993,"params":{"text":"` + strings.Repeat("x", 1<<20) + `"}}`:                          true,
		`{"id":1,"method":"tools/call","params":{"name":"mesh_mark_read","arguments":{"id":9007199254740993}}}`:   false,
		`{"id":"9007199254740993","method":"ping"}`:                                                               false,
		`{"id":9007199254740993,"method":`:                                                                        false,
		strings.Repeat("x", 17<<20):                                                                               false,
	} {
		read, written := passed(t, message+"\n")
		assert.Equal(t, hides, read != message+"\n", "%.200s", message)
		if hides {
			assert.NotContains(t, read, ":9007199254740993")
			assert.JSONEq(t, message, written)
			continue
		}
		assert.True(t, written == message+"\n", "%.200s", message) //nolint:testifylint // too long to be shown
	}
}

// A message must pass unchanged, whatever its ids.
func FuzzIDs(f *testing.F) {
	f.Add(`{"id":9007199254740993,"method":"ping"}`)
	f.Add(`[{"id":-9007199254740993,"params":{"requestId":12345678901234567890,"_meta":{"progressToken":1}}}]`)
	f.Fuzz(func(t *testing.T, message string) {
		_, written := passed(t, message)
		if !json.Valid([]byte(message)) || strings.Contains(message, "\n") {
			return
		}
		assert.Equal(t, exact(t, message), exact(t, written))
	})
}

// exact keeps numbers as they're written.
func exact(t *testing.T, text string) (value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&value))
	return value
}

package wire_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/wire"
)

// The package has no reader of its own to test: what counts is what the generated types, which drive it, make of a
// document. UnmarshalJSON is called directly, as the facades do: json.Unmarshal would refuse bad syntax by itself before
// any of this code runs.

// row is the smallest message the contract allows.
const row = `{"id":1,"from_node":"node-a","to_node":"node-b","kind":"fyi","created_at":"2026-11-21T07:54:15+00:00"}`

// recorded returns the body of an exchange recorded with a real gateway.
func recorded(tb testing.TB, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("../test/contract/testdata/gateway", name+".json"))
	require.NoError(tb, err)
	var exchange struct {
		Response struct{ Body json.RawMessage }
	}
	require.NoError(tb, json.Unmarshal(text, &exchange))
	return exchange.Response.Body
}

// peer reads one peer that has to be readable.
func peer(t *testing.T, text string) gateway.MeshPeer {
	t.Helper()
	var p gateway.MeshPeer
	require.NoError(t, p.UnmarshalJSON([]byte(text)))
	return p
}

// message reads one message that has to be readable.
func message(t *testing.T, text string) gateway.MeshMessage {
	t.Helper()
	var m gateway.MeshMessage
	require.NoError(t, m.UnmarshalJSON([]byte(text)))
	return m
}

// messageWith returns a message with one more member, which may be a second one of its name.
func messageWith(member string) string { return row[:len(row)-1] + "," + member + "}" }

// refused demands an error with that path, and returns what it says is wrong there.
func refused(t *testing.T, path string, err error) string {
	t.Helper()
	var e *wire.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, path, e.Path, "the error is %q", err)
	return e.Err.Error()
}

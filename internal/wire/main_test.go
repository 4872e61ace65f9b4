// This file has peers, messages and errors that all tests share.

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

// The tests decode into generated types, which call this package. They call UnmarshalJSON
// directly, like the facades do, because json.Unmarshal rejects invalid syntax before any
// of this code runs.

// row is the smallest valid message.
const row = `{"id":1,"from_node":"node-a","to_node":"node-b","kind":"fyi","created_at":"2026-11-21T07:54:15+00:00"}`

// recorded returns a response body that a real gateway sent.
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

func peer(t *testing.T, text string) gateway.MeshPeer {
	t.Helper()
	var p gateway.MeshPeer
	require.NoError(t, p.UnmarshalJSON([]byte(text)))
	return p
}

func message(t *testing.T, text string) gateway.MeshMessage {
	t.Helper()
	var m gateway.MeshMessage
	require.NoError(t, m.UnmarshalJSON([]byte(text)))
	return m
}

// messageWith adds a member, which may be a duplicate, to a message.
func messageWith(member string) string { return row[:len(row)-1] + "," + member + "}" }

// refused checks the error's path and returns its reason.
func refused(t *testing.T, path string, err error) string {
	t.Helper()
	var e *wire.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, path, e.Path, "the error is %q", err)
	return e.Err.Error()
}

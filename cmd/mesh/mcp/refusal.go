package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// refusal returns nil for a message. For any other line the SDK would end the session, so
// refusal returns a JSON-RPC error.
func refusal(line []byte) []byte {
	code, text := jsonrpc.CodeInvalidRequest, "invalid request"
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return nil
	case !json.Valid(line):
		code, text = jsonrpc.CodeParseError, "parse error"
	case isMessage(line):
		return nil
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, text)
}

// isMessage also accepts a batch.
func isMessage(line []byte) bool {
	var batch []json.RawMessage
	if json.Unmarshal(line, &batch) != nil {
		batch = []json.RawMessage{line}
	}
	return len(batch) > 0 && !slices.ContainsFunc(batch, func(message json.RawMessage) bool {
		_, err := jsonrpc.DecodeMessage(message)
		return err != nil
	})
}

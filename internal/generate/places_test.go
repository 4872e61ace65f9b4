package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Struct fields follow the document's order, even if they refer to a shared schema.
// x-order takes precedence.
//
//nolint:paralleltest // see generateText
func TestFieldsHaveTheOrderOfTheDocument(t *testing.T) {
	code, err := generateText(t, document(
		`"z":{"$ref":"#/components/schemas/B"},"y":{"type":"string"},"a":{"$ref":"#/components/schemas/B"},"c":{"type":"string","x-order":0}`,
		`},"B":{"type":"object","properties":{"q":{"type":"string"},"b":{"type":"string"}},"additionalProperties":{"x-go-type":"json.RawMessage"}`))
	require.NoError(t, err)
	fields, at := strings.Join(strings.Fields(code), " "), -1
	for _, field := range []string{"Q *string", "B *string"} {
		next := strings.Index(fields, field)
		assert.Greater(t, next, at, field)
		at = next
	}
	at = -1
	for _, field := range []string{"C *string", "Z *B", "Y *string", "A *B"} {
		next := strings.Index(fields, field)
		assert.Greater(t, next, at, field)
		at = next
	}
}

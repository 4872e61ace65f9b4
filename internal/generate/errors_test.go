package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const withResponses = `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/a":{"get":{"operationId":"a","responses":{
	"200":{"description":"d","content":{"MEDIA":{"schema":{"$ref":"#/components/schemas/Row"}}}},
	"default":{"description":"d","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}}}}}},
	"components":{"schemas":{"Row":{"type":"object","required":["shared"],"properties":{"shared":{"$ref":"#/components/schemas/Shared"}},"additionalProperties":{"x-go-type":"json.RawMessage"}},
	"Shared":{"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":{"x-go-type":"json.RawMessage"}},
	"Error":{"type":"object","required":["code","shared"],"properties":{"code":{"type":"string"},"shared":{"$ref":"#/components/schemas/Shared"}},"additionalProperties":{"x-go-type":"json.RawMessage"}}}}}`

// An older server's error must keep its status if the document requires a new field.
//
//nolint:paralleltest // see generateText
func TestErrorsRequireNothing(t *testing.T) {
	code, err := generateText(t, strings.Replace(withResponses, "MEDIA", "application/json", 1))
	require.NoError(t, err)
	code = strings.Join(strings.Fields(code), " ")
	assert.Contains(t, code, "Code *string `json:\"code,omitempty\"`", "an error's newly required field is optional")
	assert.Contains(t, code, "ID string `json:\"id\"`", "another response's schema keeps its required fields")
	assert.Contains(t, code, "Shared Shared `json:\"shared\"`", "Row")
}

//nolint:paralleltest // see generateText
func TestStreamsAreRefused(t *testing.T) {
	for _, mediaType := range []string{"application/x-ndjson", "application/jsonl; charset=utf-8"} {
		_, err := generateText(t, strings.Replace(withResponses, "MEDIA", mediaType, 1))
		assert.ErrorContains(t, err, "GET /a: the response 200 is a stream of JSON values")
	}
}

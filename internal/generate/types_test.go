package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// generatedClient generates a document's client with the settings for gen/.
func generatedClient(t *testing.T, document string) (string, error) {
	t.Helper()
	file := written(t, "document.json", document)
	t.Chdir("../..")
	settings, err := readConfig("specs/codegen.yaml")
	require.NoError(t, err)
	settings.PackageName = "p"
	return generate(file, settings)
}

// If two parts had the same Go name, the generated code wouldn't compile.
//
//nolint:paralleltest // see generateText
func TestRepeatedNamesAreRefused(t *testing.T) {
	const document = `{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{
		"/a":{"get":{"operationId":"listPeers","parameters":[{"name":"q","in":"query","schema":{"type":"string"}},{"name":%q,"in":"header","schema":{"type":"string"}}],
			"responses":{"200":{"description":"ok"}}}},
		"/b":{"get":{"operationId":%q,"responses":{"200":{"description":"ok"}}}}},
		"components":{"schemas":{%q:{"type":"object","properties":{"a":{"type":"string"}}},"Kind":{"type":"string","enum":["a"]}},
			"parameters":{"Limit":{"name":"limit","in":"query","schema":{"type":"integer"}}}}}`
	const remedy = " is taken; choose another operationId, or an x-go-name for a schema, property or parameter"
	for _, c := range []struct{ parameter, operation, schema, message string }{
		{"r", "getPeer", "Peer", ""},
		{"r", "getPeer", "Client", "components.schemas.Client: the Go name Client"},
		{"r", "getPeer", "client-option", "components.schemas.client-option: the Go name ClientOption"},
		{"r", "getPeer", "NewClient", "components.schemas.NewClient: the Go name NewClient"},
		{"r", "getPeer", "ListPeersParams", "components.schemas.ListPeersParams and GET /a: the Go name ListPeersParams"},
		{"r", "getPeer", "NewGetPeerRequest", "components.schemas.NewGetPeerRequest: the Go name NewGetPeerRequest"},
		{"r", "getPeer", "Limit", "components.schemas.Limit: the Go name Limit"},
		{"r", "getPeer", "kind", "components.schemas.Kind and components.schemas.kind: the Go name Kind"},
		{"r", "getPeer", "KindA", "components.schemas.KindA: the Go name KindA"},
		{"r", "list_peers", "Peer", "GET /a and GET /b: the Go name NewListPeersRequest"},
		{"Q", "getPeer", "Peer", "GET /a: the Go name Q"},
	} {
		t.Run(c.message, func(t *testing.T) {
			_, err := generatedClient(t, fmt.Sprintf(document, c.parameter, c.operation, c.schema))
			if c.message == "" {
				require.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.message+remedy)
			}
		})
	}
}

//nolint:paralleltest // see generateText
func TestCodeThatDoesNotCompileIsRefused(t *testing.T) {
	for message, text := range map[string]string{
		"components.schemas.T: the generated code does not compile (undefined: Nope, in":       document(`"p":{"type":"string","x-go-type":"Nope"}`, ``),
		"components.schemas.T: the generated code does not compile (expected":                  document(`"p":{"type":"string","x-go-type":"a b"}`, ``),
		"components.schemas.T: the generated code does not compile (invalid recursive type":    document(`"p":{"$ref":"#/components/schemas/T"}`, `,"required":["p"]`),
		"components.schemas.日本: the name gives no Go name":                                     document(`"p":{"type":"string"}`, `},"日本":{"type":"object"`),
		"components.schemas.U.日本: the name gives no Go name":                                   document(`"p":{"type":"string"}`, `},"U":{"type":"object","properties":{"日本":{"type":"string"}},"additionalProperties":false`),
		"the document: the generated code does not compile (could not import example.com/nope": document(`"p":{"type":"string","x-go-type":"nope.T","x-go-type-import":{"path":"example.com/nope"}}`, ``),
	} {
		t.Run(message, func(t *testing.T) {
			_, err := generatedClient(t, text)
			assert.ErrorContains(t, err, message)
		})
	}
}

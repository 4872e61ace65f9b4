// Package specs embeds the OpenAPI documents from which gen/ is generated.
//
// Each API is one document, NAME.yaml. The documents are OpenAPI 3.0.3 without
// extensions, for generators in any language. go.overlay.yaml adds facts for the Go
// generator, and codegen.yaml configures it.
//
// No shipped package imports this one. It's for tests, and for tools that check traffic
// against the documents, such as kin-openapi:
//
//	document, err := specs.Document("gateway")
//	doc, err := openapi3.NewLoader().LoadFromData(document)
//	doc.Servers = nil // its router would match only their URLs
package specs

import "embed"

//go:embed anthropic.yaml catalog.yaml cloudbilling.yaml deepseek.yaml gateway.yaml gemini.yaml openai.yaml xai.yaml xaimanagement.yaml
var documents embed.FS

// Names returns the document names in alphabetical order.
func Names() []string {
	return []string{"anthropic", "catalog", "cloudbilling", "deepseek", "gateway", "gemini", "openai", "xai", "xaimanagement"}
}

// Document returns a document as YAML. It has no external references and is valid for
// kin-openapi. If name isn't in [Names], the error matches fs.ErrNotExist.
func Document(name string) ([]byte, error) { return documents.ReadFile(name + ".yaml") }

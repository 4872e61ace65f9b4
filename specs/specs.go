// Package specs embeds the OpenAPI documents that the clients in gen/ are generated from.
//
// Each API is one document, NAME.yaml. The documents are OpenAPI 3.0.3 without extensions and serve generators of any
// language. go.overlay.yaml adds what only the Go generator needs, and codegen.yaml
// configures it. The shipped packages do not import this one. It is for tests and for tools that check traffic against the
// documents, such as kin-openapi:
//
//	document, err := specs.Document("gateway")
//	doc, err := openapi3.NewLoader().LoadFromData(document)
//	doc.Servers = nil // its router would match only their URLs
package specs

import "embed"

//go:embed anthropic.yaml catalog.yaml cloudbilling.yaml deepseek.yaml gateway.yaml gemini.yaml openai.yaml xai.yaml xaimanagement.yaml
var documents embed.FS

// Names lists the documents, in alphabetical order.
func Names() []string {
	return []string{"anthropic", "catalog", "cloudbilling", "deepseek", "gateway", "gemini", "openai", "xai", "xaimanagement"}
}

// Document returns one document as YAML, without external references and valid under kin-openapi. For a name that is not in
// [Names] the error matches fs.ErrNotExist.
func Document(name string) ([]byte, error) { return documents.ReadFile(name + ".yaml") }

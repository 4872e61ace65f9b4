// Package mesh is the overview of mesh-go, a typed SDK for a mesh gateway and for model and cost discovery.
//
//   - [github.com/mesh-gateway/mesh-go/client] talks to the gateway: peers and typed direct messages.
//   - [github.com/mesh-gateway/mesh-go/scan] finds credentials in a text before it is sent.
//   - gen/ holds the generated clients that the facades build on, and specs/ the documents they are generated from.
//
// The package itself has one constant, [Version]. Start with client.
package mesh

// Version is the version of this module. Every request carries it as User-Agent "mesh-go/<version>".
const Version = "0.1.0"

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen -config specs/gateway.codegen.yaml -o gen/gateway/gateway.gen.go specs/gateway.yaml

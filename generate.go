// Package mesh is the overview of mesh-go, a typed SDK for a mesh gateway and for model and cost discovery.
//
//   - [github.com/mesh-gateway/mesh-go/client] talks to the gateway: peers and typed direct messages.
//   - [github.com/mesh-gateway/mesh-go/discovery] answers which models exist, under which names, for how long, what they
//     cost, and what was billed.
//   - [github.com/mesh-gateway/mesh-go/scan] finds credentials in a text before it is sent.
//   - client/gatewaytest and discovery/discoverytest play the gateway, the catalog and the providers, for tests.
//   - gen/ holds the generated clients that the facades build on, and specs/ the documents they are generated from.
//
// The package itself has one constant, [Version]. Start with client or discovery:
//
//	c, err := client.New("node-a", client.WithGatewayURL("http://gateway:8787")) // token: MESH_GATEWAY_TOKEN
//	_, err = c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "hello"})
//
// Comments in all packages cite two documents that are not in the repository: SPEC.md, the source document that says what
// the SDK has to do, and WIRE.md, the record of what gateway and providers really send. The maintainers keep them;
// docs/conformance.md maps the rules of the one, and what the other has on the gateway, to names and tests.
package mesh

import "github.com/mesh-gateway/mesh-go/internal/version"

// Version is the version of this module. Every request carries it as User-Agent "mesh-go/<version>".
const Version = version.Version

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen -config specs/anthropic.codegen.yaml -o gen/anthropic/anthropic.gen.go specs/anthropic.yaml
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen -config specs/catalog.codegen.yaml -o gen/catalog/catalog.gen.go specs/catalog.yaml
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen -config specs/cloudbilling.codegen.yaml -o gen/cloudbilling/cloudbilling.gen.go specs/cloudbilling.yaml
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen -config specs/deepseek.codegen.yaml -o gen/deepseek/deepseek.gen.go specs/deepseek.yaml
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen -config specs/gateway.codegen.yaml -o gen/gateway/gateway.gen.go specs/gateway.yaml
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen -config specs/gemini.codegen.yaml -o gen/gemini/gemini.gen.go specs/gemini.yaml
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen -config specs/openai.codegen.yaml -o gen/openai/openai.gen.go specs/openai.yaml
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen -config specs/xai.codegen.yaml -o gen/xai/xai.gen.go specs/xai.yaml
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen -config specs/xaimanagement.codegen.yaml -o gen/xaimanagement/xaimanagement.gen.go specs/xaimanagement.yaml

// Package mesh is the overview of mesh-go, a typed SDK for a mesh gateway and for model and cost discovery.
//
//   - [github.com/mesh-gateway/mesh-go/client] talks to the gateway: peers and typed direct messages.
//   - [github.com/mesh-gateway/mesh-go/discovery] answers which models exist, under which names, and for how long.
//   - [github.com/mesh-gateway/mesh-go/scan] finds credentials in a text before it is sent.
//   - gen/ holds the generated clients that the facades build on, and specs/ the documents they are generated from.
//
// The package itself has one constant, [Version]. Start with client or discovery.
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

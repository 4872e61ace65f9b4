// Package mesh is the overview of mesh-go, a typed SDK for a mesh gateway and for model and cost discovery.
//
//   - [github.com/mesh-gateway/mesh-go/client] exchanges typed direct messages with other nodes through a gateway.
//   - [github.com/mesh-gateway/mesh-go/discovery] reports which models exist and until when, what they cost, what a call costs,
//     what was billed, and whether the bill matches what was counted.
//   - [github.com/mesh-gateway/mesh-go/scan] finds credentials in text before it is sent.
//   - client/gatewaytest and discovery/discoverytest are a gateway and the providers in memory, for tests.
//   - gen contains the generated clients, and specs the OpenAPI documents that they are generated from.
//
// Start with client or discovery:
//
//	c, err := client.New("node-a", client.WithGatewayURL("http://gateway:8787/gateway")) // token: MESH_GATEWAY_TOKEN
//	_, err = c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "hello"})
//
// The rules of the gateway are in docs/gateway.md and those of the providers in docs/providers.md.
package mesh

import "github.com/mesh-gateway/mesh-go/internal/version"

// Version is the version of this module in the running program, such as "0.1.0", else the commit of a checkout, else "devel".
// Every request has the User-Agent "mesh-go/" followed by it.
var Version = version.Version()

//go:generate go run ./internal/generate -config specs/codegen.yaml -package anthropic -o gen/anthropic/anthropic.gen.go specs/anthropic.yaml
//go:generate go run ./internal/generate -config specs/codegen.yaml -package catalog -o gen/catalog/catalog.gen.go specs/catalog.yaml
//go:generate go run ./internal/generate -config specs/codegen.yaml -package cloudbilling -o gen/cloudbilling/cloudbilling.gen.go specs/cloudbilling.yaml
//go:generate go run ./internal/generate -config specs/codegen.yaml -package deepseek -o gen/deepseek/deepseek.gen.go specs/deepseek.yaml
//go:generate go run ./internal/generate -config specs/codegen.yaml -package gateway -o gen/gateway/gateway.gen.go specs/gateway.yaml
//go:generate go run ./internal/generate -config specs/codegen.yaml -package gemini -o gen/gemini/gemini.gen.go specs/gemini.yaml
//go:generate go run ./internal/generate -config specs/codegen.yaml -package openai -o gen/openai/openai.gen.go specs/openai.yaml
//go:generate go run ./internal/generate -config specs/codegen.yaml -package xai -o gen/xai/xai.gen.go specs/xai.yaml
//go:generate go run ./internal/generate -config specs/codegen.yaml -package xaimanagement -o gen/xaimanagement/xaimanagement.gen.go specs/xaimanagement.yaml

// Package mesh introduces mesh-go, an SDK for a mesh gateway and for what model calls
// cost.
//
//   - [github.com/mesh-gateway/mesh-go/client] sends messages to other nodes through a
//     gateway, and client/agent asks and answers questions.
//   - [github.com/mesh-gateway/mesh-go/discovery] reports models, retirement dates,
//     prices, and whether a bill matches the counted calls.
//   - [github.com/mesh-gateway/mesh-go/scan] finds credentials in text before it is sent.
//   - client/gatewaytest and discovery/discoverytest fake the gateway and the providers
//     in memory.
//   - gen has clients generated from the OpenAPI documents in specs.
//
// Start with client or discovery:
//
//	c, err := client.New("node-a", client.WithGatewayURL("http://gateway:8787/gateway")) // token: MESH_GATEWAY_TOKEN
//	_, err = c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "hello"})
//
// See docs/gateway.md and docs/providers.md for their rules.
package mesh

import "github.com/mesh-gateway/mesh-go/internal/version"

// Version is this module's version in the running program, such as "0.1.0". In a checkout
// it is the commit, or "devel". Every request has the User-Agent "mesh-go/" and this
// version.
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

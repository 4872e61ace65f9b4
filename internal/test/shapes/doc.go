// Package shapes holds the types of shapes.yaml, a document with every schema shape that the template in specs/templates
// supports. It is imported by tests only.
package shapes

//go:generate go run github.com/mesh-gateway/mesh-go/internal/generate -config shapes.codegen.yaml -o shapes.gen.go shapes.yaml

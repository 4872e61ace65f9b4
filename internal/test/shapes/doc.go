// Package shapes holds the types of shapes.yaml, a document with every schema shape that the template in specs/templates
// supports. It is imported by tests only.
package shapes

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen -config shapes.codegen.yaml -o shapes.gen.go shapes.yaml

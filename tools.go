//go:build tools

// Package tools makes go.mod decide the version of the code generator.
//
// The build tag excludes the file from every build, vet and test, but go mod tidy ignores
// build tags and keeps the requirement. Do not pass -tags tools: the directory would
// contain two packages, and a command cannot be imported.
package tools

import (
	_ "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen"
)

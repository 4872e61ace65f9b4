//go:build tools

// Package tools pins the code generator, so that go.mod decides its version.
//
// The build tag keeps it out of every build, vet and test; go mod tidy looks through build tags and keeps the
// requirement. Never pass -tags tools: there would be two packages in one folder, and a program cannot be imported.
package tools

import (
	_ "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen"
)

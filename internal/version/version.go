// Package version holds the version of the module.
//
// It is apart from the root package, which re-exports it, for the sake of importers: tools.go is in the root, go mod tidy
// looks through its build tag, and an importer of the root gets the code generator and its dependencies into its go.mod.
package version

// Version is the version of this module.
const Version = "0.1.0"

// UserAgent is what every request carries.
const UserAgent = "mesh-go/" + Version

// Package version holds the version of the module.
//
// It is apart from the root package, which re-exports it, for the sake of importers: tools.go is in the root, go mod tidy
// looks through its build tag, and whoever imports the root gets the code generator and all that it needs into their go.mod.
package version

// Version is the version of this module.
const Version = "0.1.0"

// UserAgent is what every request carries.
const UserAgent = "mesh-go/" + Version

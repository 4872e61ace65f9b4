// Package version finds the version of the module in the build information.
//
// It is apart from the root package, which re-exports it, for the sake of importers such as the command: tools.go is in the root,
// go mod tidy looks through its build tag, and an importer of the root gets the code generator and its dependencies into its go.mod.
package version

import (
	"runtime/debug"
	"strings"
	"sync"
)

const (
	module  = "github.com/mesh-gateway/mesh-go"
	command = module + "/cmd/mesh" // a module of its own, which is released with the same version
	devel   = "devel"
)

// Version returns the version of this module in the running program, without the leading "v": that of a dependency, else the
// commit of a checkout, else "devel".
var Version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return devel
	}
	return of(info)
})

// UserAgent returns the User-Agent of every request.
func UserAgent() string { return "mesh-go/" + Version() }

func of(info *debug.BuildInfo) string {
	if info.Main.Path == module || info.Main.Path == command {
		return first(info.Main.Version, commit(info.Settings))
	}
	for _, dep := range info.Deps {
		switch {
		case dep.Path == module && dep.Replace != nil:
			return first(dep.Replace.Version)
		case dep.Path == module:
			return first(dep.Version)
		}
	}
	return devel
}

// first returns the first version that names something. A checkout has "(devel)", or "" in tests.
func first(versions ...string) string {
	for _, v := range versions {
		if v != "" && v != "(devel)" {
			return strings.TrimPrefix(v, "v")
		}
	}
	return devel
}

// commit returns the first 12 digits of the commit, with "+dirty" after a change of the work tree, as in Go's pseudo-versions.
func commit(settings []debug.BuildSetting) string {
	var revision, suffix string
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			suffix = "+dirty"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + suffix
}

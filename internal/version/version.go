// Package version finds the module's version in the build information.
//
// It's separate from the root package, which re-exports it, so that importers such as the
// command need not import the root. tools.go is in the root, and go mod tidy ignores its
// build tag: importing the root would add the code generator and its dependencies to
// their go.mod.
package version

import (
	"runtime/debug"
	"strings"
	"sync"
)

const (
	module  = "github.com/mesh-gateway/mesh-go"
	command = module + "/cmd/mesh" // a separate module, released with the same version
	devel   = "devel"
)

// Version returns this module's version in the running program, without the leading "v".
// If there is no version, it's the checkout's commit, or else "devel".
var Version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return devel
	}
	return of(info)
})

// UserAgent returns the User-Agent header for every request.
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

// first returns the first real version. A checkout has "(devel)", and tests have "".
func first(versions ...string) string {
	for _, v := range versions {
		if v != "" && v != "(devel)" {
			return strings.TrimPrefix(v, "v")
		}
	}
	return devel
}

// commit returns the first 12 digits of the commit, plus "+dirty" if there are local
// changes, as in Go's pseudo-versions.
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

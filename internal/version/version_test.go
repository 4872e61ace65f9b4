package version

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVersionOfABuild(t *testing.T) {
	t.Parallel()
	settings := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.modified", Value: "false"}}
	changed := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.modified", Value: "true"}}
	sdk := []*debug.Module{{Path: module, Version: "(devel)"}}
	dependency := func(m debug.Module) debug.BuildInfo {
		m.Path = module
		return debug.BuildInfo{Main: debug.Module{Path: "example.com/bot", Version: "v9.9.9"}, Deps: []*debug.Module{{Path: "other", Version: "v1.0.0"}, &m}}
	}
	for name, c := range map[string]struct {
		build debug.BuildInfo
		want  string
	}{
		"module":                      {debug.BuildInfo{Main: debug.Module{Path: module, Version: "v0.3.0"}, Settings: settings}, "0.3.0"},
		"go install of a version":     {debug.BuildInfo{Main: debug.Module{Path: module + "/cmd/mesh", Version: "v0.3.0"}, Deps: sdk}, "0.3.0"},
		"command of a checkout":       {debug.BuildInfo{Main: debug.Module{Path: module + "/cmd/mesh", Version: "(devel)"}, Deps: sdk, Settings: settings}, "0123456789ab"},
		"other module below":          {debug.BuildInfo{Main: debug.Module{Path: module + "/examples/tracing", Version: "v9.9.9"}}, "devel"},
		"build with a pseudo-version": {debug.BuildInfo{Main: debug.Module{Path: module, Version: "v0.0.0-20261122103000-0123456789ab+dirty"}}, "0.0.0-20261122103000-0123456789ab+dirty"},
		"checkout":                    {debug.BuildInfo{Main: debug.Module{Path: module, Version: "(devel)"}, Settings: settings}, "0123456789ab"},
		"changed checkout":            {debug.BuildInfo{Main: debug.Module{Path: module, Version: "(devel)"}, Settings: changed}, "0123456789ab+dirty"},
		"test":                        {debug.BuildInfo{Main: debug.Module{Path: module}}, "devel"},
		"short commit":                {debug.BuildInfo{Main: debug.Module{Path: module}, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "01"}}}, "01"},
		"dependency":                  {dependency(debug.Module{Version: "v0.3.0"}), "0.3.0"},
		"dependency in a directory":   {dependency(debug.Module{Version: "v0.0.0", Replace: &debug.Module{Path: "../mesh-go"}}), "devel"},
		"dependency that is a fork":   {dependency(debug.Module{Version: "v0.0.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v0.3.1"}}), "0.3.1"},
		"other program":               {debug.BuildInfo{Main: debug.Module{Path: "example.com/bot", Version: "v9.9.9"}}, "devel"},
	} {
		assert.Equal(t, c.want, of(&c.build), name)
	}
}

func TestUserAgentHasTheVersion(t *testing.T) {
	t.Parallel()
	assert.NotEmpty(t, Version())
	assert.Equal(t, "mesh-go/"+Version(), UserAgent())
}

package profile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
)

// user makes a configuration directory with profiles, and sets variables. Only on Linux
// can a variable name that directory.
func user(t *testing.T, profiles string, variables map[string]string) (folder string) {
	t.Helper()
	for _, name := range []string{"MESH_NODE", "MESH_GATEWAY_URL", profile.TokenVariable, profile.TokenFileVariable} {
		t.Setenv(name, variables[name])
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	folder = filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "mesh")
	require.NoError(t, os.Mkdir(folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "profiles.json"), []byte(profiles), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "token"), []byte("of-profile\n"), 0o600))
	return folder
}

const work = `{"default": "work", "profiles": {"work": {"node": "node-w", "gateway_url": "http://work", "token_file": "token"}, "bare": {"gateway_url": "http://bare"}}}`

// A token must only go to the gateway that it was given for.
func TestReadKeepsTokensApart(t *testing.T) {
	environment := map[string]string{"MESH_NODE": "node-e", "MESH_GATEWAY_URL": "http://env", profile.TokenVariable: "of-environment"}
	for name, c := range map[string]struct {
		flags                profile.Flags
		variables            map[string]string
		node, gateway, token string
	}{
		"default profile":       {profile.Flags{}, nil, "node-w", "http://work", "of-profile"},
		"environment":           {profile.Flags{}, environment, "node-e", "http://env", "of-environment"},
		"profile by name":       {profile.Flags{Profile: "work"}, environment, "node-w", "http://work", "of-profile"},
		"profile without token": {profile.Flags{Profile: "bare"}, map[string]string{"MESH_NODE": "node-e"}, "node-e", "http://bare", ""},
		"flags":                 {profile.Flags{Node: "node-f", GatewayURL: "http://flag", Profile: "work"}, environment, "node-f", "http://flag", "of-environment"},
		"gateway from a flag":   {profile.Flags{GatewayURL: "http://flag"}, nil, "node-w", "http://flag", ""},
	} {
		t.Run(name, func(t *testing.T) {
			user(t, work, c.variables)
			s, err := profile.Read(c.flags)
			require.NoError(t, err)
			require.NoError(t, s.CheckToken())
			token, err := s.Token()
			require.NoError(t, err)
			assert.Equal(t, []string{c.node, c.gateway, c.token}, []string{s.Node.Value, s.Gateway.Value, token})
			assert.Equal(t, token == "", s.TokenSource() == "")
			assert.NotContains(t, s.TokenSource(), "of-")
		})
	}
}

func TestReadRefuses(t *testing.T) {
	user(t, work, map[string]string{profile.TokenVariable: "of-environment"})
	_, err := profile.Read(profile.Flags{Profile: "home"})
	require.ErrorContains(t, err, `has no profile "home"`)
	s, err := profile.Read(profile.Flags{Profile: "bare"})
	require.NoError(t, err)
	require.ErrorContains(t, s.CheckToken(), "profile bare has a gateway_url but no token_file, and MESH_GATEWAY_TOKEN belongs to another gateway")
	t.Setenv(profile.TokenFileVariable, "relative")
	_, err = profile.Read(profile.Flags{})
	require.EqualError(t, err, "MESH_TOKEN_FILE must be an absolute path")
}

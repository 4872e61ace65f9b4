package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Environment returns the environment of a command that acts as node: env with the settings in the place of other ones, so that the
// command is the same node at the same gateway. A token of a file is passed as the name of the file, which the command can read. A
// token from a pipe is not passed.
func (s Settings) Environment(env []string, node, token string) ([]string, error) {
	env = slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		return strings.HasPrefix(variable, TokenVariable+"=") || strings.HasPrefix(variable, TokenFileVariable+"=")
	})
	env = append(env, "MESH_NODE="+node, "MESH_GATEWAY_URL="+s.Gateway.Value)
	if s.TokenFile.Value == "" {
		if token != "" {
			env = append(env, TokenVariable+"="+token)
		}
		return env, nil
	}
	if info, err := os.Stat(s.TokenFile.Value); err != nil || !info.Mode().IsRegular() {
		return env, nil //nolint:nilerr // a pipe can be read once
	}
	file, err := filepath.Abs(s.TokenFile.Value)
	return append(env, TokenFileVariable+"="+file), err
}

package profile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
)

// write writes a profiles file.
func write(t *testing.T, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "profiles.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// Not parallel: it sets the home directory.
func TestLoad(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home) // Windows
	file := write(t, `{"default": "work", "profiles": {
		"work": {"node": "node-a", "gateway_url": "http://gateway:8787/gateway", "token_file": "work.token"},
		"home": {"gateway_url": "http://home", "token_file": "~/token"},
		"absolute": {"gateway_url": "http://home", "token_file": "`+filepath.ToSlash(filepath.Join(t.TempDir(), "token"))+`"},
		"bare": {}}}`)
	all, err := profile.Load(file)
	require.NoError(t, err)
	assert.Equal(t, "work", all.Default)
	assert.Equal(t, file, all.File)
	assert.Equal(t, []string{"absolute", "bare", "home", "work"}, all.Names())
	assert.Equal(t, profile.Profile{Node: "node-a", GatewayURL: "http://gateway:8787/gateway", TokenFile: filepath.Join(filepath.Dir(file), "work.token")}, all.Profiles["work"])
	assert.Equal(t, filepath.Join(home, "token"), all.Profiles["home"].TokenFile)
	assert.True(t, filepath.IsAbs(all.Profiles["absolute"].TokenFile))

	none, err := profile.Load(filepath.Join(t.TempDir(), "no-such-file"))
	require.NoError(t, err)
	assert.Empty(t, none.Names())
}

// No error may contain a token from the file.
func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	const token = "example-token-of-a-gateway"
	for text, want := range map[string]string{
		"":                 "incomplete JSON object",
		"{":                "incomplete JSON object",
		"[]":               "the file must not be a JSON array",
		`{"profiles": []}`: "profiles must not be a JSON array",
		`{} {}`:            "more than one JSON value",
		`{"default": "x"}`: `unknown default profile "x"`,
		`{"profiles": {"a": {"token": "` + token + `"}}}`:                            `profile "a": token is not supported; write it to a file`,
		`{"profiles": {"a": {"token": {"x": "` + token + `"}}}}`:                     "token is not supported",
		`{"profiles": {"a": {"gateway_token": "` + token + `"}}}`:                    `unknown field "gateway_token"`,
		`{"token": "` + token + `"}`:                                                 `unknown field "token"`,
		`{"profiles": {"a": {"token_file": "` + token + `"}}}`:                       "token_file needs the gateway_url",
		`{"profiles": {"a": {"node": 1}}}`:                                           "node must not be a JSON number; see mesh help profiles",
		`{"profiles": {"a": {"node": "` + strings.Repeat("a", 1<<20) + `"}}, "x":1}`: "more than 1 MiB",
	} {
		_, err := profile.Load(write(t, text))
		require.ErrorContains(t, err, want, "%.60s", text)
		assert.NotContains(t, err.Error(), token)
	}
	_, err := profile.Load(t.TempDir())
	require.ErrorContains(t, err, "not a regular file")
}

func TestLoadRefusesAFileThatAllCanChange(t *testing.T) {
	t.Parallel()
	file := write(t, "{}")
	require.NoError(t, os.Chmod(file, 0o602))
	_, err := profile.Load(file)
	if runtime.GOOS == "windows" { // which has no such permissions
		require.NoError(t, err)
		return
	}
	require.ErrorContains(t, err, "other users can change")
}

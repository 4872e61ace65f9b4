// Package profile reads mesh's settings from flags, the environment and named profiles in
// a file.
package profile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// Profile is one entry in profiles.json: a node and its gateway. Empty fields are unset.
type Profile struct {
	Node       string `json:"node"`
	GatewayURL string `json:"gateway_url"`
	// TokenFile holds the token for this profile's gateway. [Load] makes it absolute.
	TokenFile string `json:"token_file"`
	// Token is refused: tokens belong in their own files, so that profiles can be shown
	// and copied.
	Token json.RawMessage `json:"token"`
}

// Profiles is the content of profiles.json.
type Profiles struct {
	// Default names the profile for commands without --profile, or is "".
	Default  string             `json:"default"`
	Profiles map[string]Profile `json:"profiles"`
	// File is the path of the file.
	File string `json:"-"`
}

// File returns the path of profiles.json in the user's configuration directory.
func File() (string, error) {
	folder, err := os.UserConfigDir()
	return filepath.Join(folder, "mesh", "profiles.json"), err
}

// OfUser loads the user's profiles. If there's no configuration directory, as in a
// service, it returns no profiles.
func OfUser() (Profiles, error) {
	file, err := File()
	if err != nil {
		return Profiles{File: "the configuration directory"}, nil //nolint:nilerr // as in a service
	}
	return Load(file)
}

// Load reads a profile file. If it doesn't exist, there are no profiles.
func Load(file string) (Profiles, error) {
	all := Profiles{File: file}
	text, err := read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return all, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&all); err != nil {
		return all, fmt.Errorf("%s: %w", file, formError(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return all, fmt.Errorf("%s: more than one JSON value", file)
	}
	for _, name := range all.Names() {
		p, err := all.Profiles[name].checked(filepath.Dir(file))
		if err != nil {
			return all, fmt.Errorf("%s: profile %q: %w", file, name, err)
		}
		all.Profiles[name] = p
	}
	if _, ok := all.Profiles[all.Default]; all.Default != "" && !ok {
		return all, fmt.Errorf("%s: unknown default profile %q", file, all.Default)
	}
	return all, nil
}

// formError removes Go types from a JSON error.
func formError(err error) error {
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mistyped):
		return fmt.Errorf("%s must not be a JSON %s; see mesh help profiles", cmp.Or(mistyped.Field, "the file"), mistyped.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("incomplete JSON object; see mesh help profiles")
	default:
		return err
	}
}

// Names returns the profile names, sorted.
func (p Profiles) Names() []string { return slices.Sorted(maps.Keys(p.Profiles)) }

// maxFile is in bytes.
const maxFile = 1 << 20

// read refuses a world-writable file: other users could send the token to their own
// gateway.
func read(file string) ([]byte, error) {
	in, err := openfile.Regular(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0 {
		return nil, fmt.Errorf("other users can change %[1]s; chmod o-w %[1]s", file)
	}
	return openfile.Content(in, maxFile)
}

// checked makes TokenFile absolute. Relative paths start at the profile file's directory.
func (p Profile) checked(folder string) (Profile, error) {
	switch {
	case p.Token != nil:
		return p, errors.New("token is not supported; write it to a file and set token_file")
	case p.TokenFile != "" && p.GatewayURL == "":
		return p, errors.New("token_file needs the gateway_url that the token is for")
	case p.TokenFile == "" || filepath.IsAbs(p.TokenFile):
		return p, nil
	}
	if rest, ok := strings.CutPrefix(p.TokenFile, "~/"); ok {
		home, err := os.UserHomeDir()
		p.TokenFile = filepath.Join(home, rest)
		return p, err
	}
	p.TokenFile = filepath.Join(folder, p.TokenFile)
	return p, nil
}

// Environment returns env with the settings, which makes a child process the same node at
// the same gateway. It passes a token file by name, and never a token from a pipe.
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
		return env, nil //nolint:nilerr // a pipe can only be read once
	}
	file, err := filepath.Abs(s.TokenFile.Value)
	return append(env, TokenFileVariable+"="+file), err
}

// Flags are the command's settings. "" means unset.
type Flags struct{ Node, GatewayURL, TokenFile, Profile string }

// Setting is a value and its source. Both are "" if unset.
type Setting struct {
	Value  string `json:"value"`
	Source string `json:"source"`
}

// Settings are the values needed to reach a gateway.
type Settings struct {
	// Profile is the name of the profile, or "".
	Profile       string
	Node, Gateway Setting
	// TokenFile is "" if there is no token or it's in the environment.
	TokenFile Setting

	ownGateway bool // Gateway comes from the profile
	explicit   bool // --profile is set
	values     Profile
}

// Read returns the settings. Flags take precedence, then --profile, the environment and
// the default profile.
//
// A token goes only to its own gateway: the environment's token never goes to a profile's
// gateway, and a profile's token never to another one.
func Read(flags Flags) (Settings, error) {
	s, err := choose(flags.Profile)
	if err != nil {
		return s, err
	}
	s.Node = s.pick("--node", flags.Node, "MESH_NODE", s.values.Node)
	s.Gateway = s.pick("--gateway-url", flags.GatewayURL, "MESH_GATEWAY_URL", s.values.GatewayURL)
	s.ownGateway = s.values.GatewayURL != "" && s.Gateway.Source == s.source()
	switch {
	case flags.TokenFile != "":
		s.TokenFile = Setting{flags.TokenFile, "--token-file"}
	case s.ownGateway && s.values.TokenFile != "":
		s.TokenFile = Setting{s.values.TokenFile, s.source()}
	case !s.ownGateway && os.Getenv(TokenFileVariable) != "":
		s.TokenFile = Setting{os.Getenv(TokenFileVariable), TokenFileVariable}
	}
	if file := os.Getenv(TokenFileVariable); file != "" && !filepath.IsAbs(file) { // a relative path would depend on the working directory
		return s, fmt.Errorf("%s must be an absolute path", TokenFileVariable)
	}
	return s, nil
}

// choose selects a profile; "" means the default.
func choose(name string) (s Settings, err error) {
	all, err := OfUser()
	if err != nil {
		return s, err
	}
	s.Profile, s.explicit = all.Default, name != ""
	if s.explicit {
		s.Profile = name
	}
	values, ok := all.Profiles[s.Profile]
	if s.explicit && !ok {
		return s, fmt.Errorf("--profile: %s has no profile %q", all.File, name)
	}
	s.values = values
	return s, nil
}

func (s Settings) source() string {
	if s.explicit {
		return "profile " + s.Profile
	}
	return "default profile " + s.Profile
}

func (s Settings) pick(flagName, flag, variable, ofProfile string) Setting {
	own := Setting{ofProfile, s.source()}
	switch env := os.Getenv(variable); {
	case flag != "":
		return Setting{flag, flagName}
	case ofProfile != "" && s.explicit:
		return own
	case env != "":
		return Setting{env, variable}
	case ofProfile != "":
		return own
	default:
		return Setting{}
	}
}

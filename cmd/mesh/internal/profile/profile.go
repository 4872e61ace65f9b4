// Package profile reads the settings of the command mesh: those of its flags, of the environment and of the profiles, which are named
// settings in a file of the user.
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

// Profile is a set of settings. Empty fields are not given.
type Profile struct {
	Node       string `json:"node"`
	GatewayURL string `json:"gateway_url"`
	// TokenFile is the file with the token of the gateway of this profile. [Load] makes it an absolute path.
	TokenFile string `json:"token_file"`
	// Token is not allowed: a token belongs in a file of its own, so that the profiles can be shown and copied.
	Token json.RawMessage `json:"token"`
}

// Profiles is the content of the file.
type Profiles struct {
	// Default is the name of the profile that is used if none is named, or "".
	Default  string             `json:"default"`
	Profiles map[string]Profile `json:"profiles"`
	// File is the path of the file.
	File string `json:"-"`
}

// File returns the path of the file in the user's configuration folder.
func File() (string, error) {
	folder, err := os.UserConfigDir()
	return filepath.Join(folder, "mesh", "profiles.json"), err
}

// OfUser returns the profiles of the user. A user without a configuration folder, as in a service, has none.
func OfUser() (Profiles, error) {
	file, err := File()
	if err != nil {
		return Profiles{File: "the configuration folder"}, nil //nolint:nilerr // see above
	}
	return Load(file)
}

// Load reads a file. A file that does not exist has no profiles.
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
		return all, fmt.Errorf("%s: text follows the object", file)
	}
	for _, name := range all.Names() {
		p, err := all.Profiles[name].checked(filepath.Dir(file))
		if err != nil {
			return all, fmt.Errorf("%s: profile %q: %w", file, name, err)
		}
		all.Profiles[name] = p
	}
	if _, ok := all.Profiles[all.Default]; all.Default != "" && !ok {
		return all, fmt.Errorf("%s: the default profile %q does not exist", file, all.Default)
	}
	return all, nil
}

// formError returns an error of package json without the names of types.
func formError(err error) error {
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mistyped):
		return fmt.Errorf("%s must not be a JSON %s; mesh help profiles shows the form", cmp.Or(mistyped.Field, "the file"), mistyped.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON object is not complete; mesh help profiles shows the form")
	default:
		return err
	}
}

// Names returns the names of the profiles.
func (p Profiles) Names() []string { return slices.Sorted(maps.Keys(p.Profiles)) }

// maxFile bounds the file, in bytes.
const maxFile = 1 << 20

// read reads the file. A file that every user can change could send the token of this user to another gateway.
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

// checked returns the profile with an absolute path of its token. Relative paths begin at the folder of the profiles.
func (p Profile) checked(folder string) (Profile, error) {
	switch {
	case p.Token != nil:
		return p, errors.New("a profile has no token; write the token to a file and name it as token_file")
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

// Flags are the flags that settings come from. "" is a flag that is not given.
type Flags struct{ Node, GatewayURL, TokenFile, Profile string }

// Setting is a value and where it comes from. Both are "" for a value that is not given.
type Setting struct {
	Value  string `json:"value"`
	Source string `json:"source"`
}

// Settings are the values that a command needs for a gateway.
type Settings struct {
	// Profile is the name of the profile, or "".
	Profile       string
	Node, Gateway Setting
	// TokenFile is "" if the token is that of the environment, or if there is none.
	TokenFile Setting

	ownGateway bool // the gateway is that of the profile
	explicit   bool // the profile is that of --profile
	values     Profile
}

// Read returns the settings of the flags, of --profile, of the environment and of the default profile, in this order.
//
// A token goes only to the gateway that it was given for: the token of the environment never goes to the gateway of a profile, and
// that of a profile only to its own gateway.
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
	if file := os.Getenv(TokenFileVariable); file != "" && !filepath.IsAbs(file) { // it would depend on the folder of a command
		return s, fmt.Errorf("%s must be an absolute path", TokenFileVariable)
	}
	return s, nil
}

// choose returns the settings with the profile of that name, or for "" with the default profile.
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

// source is where the values of the profile come from.
func (s Settings) source() string {
	if s.explicit {
		return "profile " + s.Profile
	}
	return "default profile " + s.Profile
}

// pick returns the first value that is given.
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

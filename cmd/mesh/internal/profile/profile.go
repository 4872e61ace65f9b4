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
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return nil, fmt.Errorf("%s is not a regular file of at most %d bytes", file, maxFile)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0:
		return nil, fmt.Errorf("other users can change %[1]s; chmod o-w %[1]s", file)
	}
	return os.ReadFile(file) //nolint:gosec // a file of the user
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

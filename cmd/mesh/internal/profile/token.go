package profile

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/files"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// The variables of the token of the environment.
const (
	TokenVariable     = "MESH_GATEWAY_TOKEN"
	TokenFileVariable = "MESH_TOKEN_FILE" //nolint:gosec // the name of a variable
)

// Token returns the token for the gateway, or "" without one. It reads TokenFile each time, which may be a pipe.
func (s Settings) Token() (string, error) {
	switch {
	case s.TokenFile.Value != "":
		return s.TokenFile.Token()
	case s.ownGateway:
		return "", nil
	default:
		return os.Getenv(TokenVariable), nil
	}
}

// TokenSource returns where the token comes from; "" is no token. It never contains the token.
func (s Settings) TokenSource() string {
	switch {
	case s.TokenFile.Value != "":
		return fmt.Sprintf("%s: %s", s.TokenFile.Source, s.TokenFile.Value)
	case !s.ownGateway && os.Getenv(TokenVariable) != "":
		return TokenVariable
	default:
		return ""
	}
}

// CheckToken returns an error if package client would take the token of the environment for the gateway of a profile.
func (s Settings) CheckToken() error {
	for _, variable := range []string{TokenVariable, TokenFileVariable} {
		if s.ownGateway && s.TokenFile.Value == "" && os.Getenv(variable) != "" {
			return fmt.Errorf("%s has a gateway_url and no token_file, and %s is not sent to it: add token_file, pass --token-file, or unset %[2]s", s.source(), variable)
		}
	}
	return nil
}

// Token returns the token in the file that a setting names.
func (file Setting) Token() (string, error) {
	text, err := readBounded(file.Value) // also of a pipe, as in --token-file <(pass show mesh)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file.Source, err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("%s: %s is empty", file.Source, file.Value)
	}
	return token, nil
}

// ReadableByOthers reports whether the permissions of the file that a setting names let other users read it. Windows has no such
// permissions.
func (file Setting) ReadableByOthers() bool {
	info, err := os.Stat(file.Value)
	return err == nil && runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o044 != 0
}

// maxTokenFile bounds the file of a token, in bytes.
const maxTokenFile = 64 << 10

// readBounded returns the content of a file that has at most maxTokenFile bytes.
func readBounded(file string) ([]byte, error) {
	f, err := os.Open(file) //nolint:gosec // waits for the writer of a pipe that the user named
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return openfile.Content(f, maxTokenFile)
}

// TokenOut prepares the file that receives a token before the token is made, since a gateway shows a token once. It returns nil for "".
func TokenOut(name string) (*files.Replacement, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // no file
	}
	return files.Replace(name)
}

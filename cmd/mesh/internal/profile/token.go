package profile

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/files"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// Environment variables with a token or a token file.
const (
	TokenVariable     = "MESH_GATEWAY_TOKEN"
	TokenFileVariable = "MESH_TOKEN_FILE" //nolint:gosec // the name of a variable
)

// Token returns "" if there is no token. It reads TokenFile on each call; that may be a
// pipe.
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

// TokenSource describes where the token comes from, or returns "". It never contains the
// token.
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

// CheckToken returns an error if package client would send the environment's token to a
// profile's gateway.
func (s Settings) CheckToken() error {
	for _, variable := range []string{TokenVariable, TokenFileVariable} {
		if s.ownGateway && s.TokenFile.Value == "" && os.Getenv(variable) != "" {
			return fmt.Errorf("%s has a gateway_url but no token_file, and %s belongs to another gateway: add token_file, pass --token-file, or unset %[2]s", s.source(), variable)
		}
	}
	return nil
}

// Token reads the token from a file.
func (file Setting) Token() (string, error) {
	text, err := readBounded(file.Value) // maybe a pipe: --token-file <(pass show mesh)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file.Source, err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("%s: %s is empty", file.Source, file.Value)
	}
	return token, nil
}

// ReadableByOthers reports whether other users may read the file. It's always false on
// Windows.
func (file Setting) ReadableByOthers() bool {
	info, err := os.Stat(file.Value)
	return err == nil && runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o044 != 0
}

// maxTokenFile is in bytes.
const maxTokenFile = 64 << 10

func readBounded(file string) ([]byte, error) {
	f, err := os.Open(file) //nolint:gosec // waits for the writer of a pipe that the user named
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return openfile.Content(f, maxTokenFile)
}

// TokenOut prepares a token file before the token exists: a gateway shows a token only
// once. It returns nil for "".
func TokenOut(name string) (*files.Replacement, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // no file
	}
	return files.Replace(name)
}

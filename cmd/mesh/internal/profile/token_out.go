package profile

import "github.com/mesh-gateway/mesh-go/cmd/mesh/internal/files"

// TokenOut prepares the file that receives a token before the token is made, since a gateway shows a token once. It returns nil for "".
func TokenOut(name string) (*files.Replacement, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // no file
	}
	return files.Replace(name)
}

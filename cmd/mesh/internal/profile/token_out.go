package profile

import "github.com/mesh-gateway/mesh-go/cmd/mesh/internal/files"

// TokenOut is a file that receives a token. It is prepared before the token is made, since a gateway shows a token once.
type TokenOut struct{ file *files.Replacement }

// CreateTokenOut prepares the file. "" is no file, which takes no token.
func CreateTokenOut(name string) (*TokenOut, error) {
	if name == "" {
		return &TokenOut{}, nil
	}
	file, err := files.Replace(name)
	return &TokenOut{file}, err
}

// Write replaces the file by one with the token, readable by its owner only.
func (t *TokenOut) Write(token string) error {
	if t.file == nil {
		return nil
	}
	return t.file.Commit([]byte(token + "\n"))
}

// Close leaves the file as it was unless a token was written.
func (t *TokenOut) Close() {
	if t.file != nil {
		t.file.Discard()
	}
}

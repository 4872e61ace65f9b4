package main

// tokenFile is a file that receives a token. It is prepared before the token is made, since a gateway shows a token once.
type tokenFile struct{ file *replacement }

// createTokenFile prepares the file. "" is no file, which takes no token.
func createTokenFile(name string) (*tokenFile, error) {
	if name == "" {
		return &tokenFile{}, nil
	}
	file, err := newReplacement(name)
	if err != nil {
		return nil, usagef("--token-out: %w", err)
	}
	return &tokenFile{file}, nil
}

// write replaces the file by one with the token, readable by its owner only.
func (t *tokenFile) write(token string) error {
	if t.file == nil {
		return nil
	}
	return t.file.commit([]byte(token + "\n"))
}

// close leaves the file as it was unless a token was written.
func (t *tokenFile) close() {
	if t.file != nil {
		t.file.discard()
	}
}

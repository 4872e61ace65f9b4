package main

import "os"

// tokenFile is a file that receives a token. It is opened before the token is made, since a gateway shows a token once.
type tokenFile struct{ file *os.File }

// createTokenFile opens or creates the file. "" is no file, which takes no token.
func createTokenFile(name string) (*tokenFile, error) {
	if name == "" {
		return &tokenFile{}, nil
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600) //nolint:gosec // the user names the file
	if err != nil {
		return nil, usagef("--token-out: %w", err)
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = file.Close()
		return nil, usagef("--token-out: %s is not a regular file", name) // close would remove a device, which has no size
	}
	return &tokenFile{file}, nil
}

// write replaces the contents by the token, readable by its owner only.
func (t *tokenFile) write(token string) error {
	if t.file == nil {
		return nil
	}
	if err := t.file.Chmod(0o600); err != nil {
		return err
	}
	if err := t.file.Truncate(0); err != nil {
		return err
	}
	if _, err := t.file.WriteString(token + "\n"); err != nil {
		return err
	}
	return t.file.Sync()
}

// close closes the file, and removes one that is still empty.
func (t *tokenFile) close() {
	if t.file == nil {
		return
	}
	if info, err := t.file.Stat(); err == nil && info.Size() == 0 {
		defer os.Remove(t.file.Name())
	}
	_ = t.file.Close()
}

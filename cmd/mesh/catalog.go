package main

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// catalogFile returns the file that keeps the catalog between two runs. The error is that of a user without a cache directory.
func catalogFile() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "mesh", "catalog.json"), err
}

// loadCatalog loads the catalog of an earlier run and returns its bytes. A file that is missing, damaged or of another catalog
// is no error: the catalog is requested then.
func loadCatalog(c *discovery.Client) []byte {
	file, err := catalogFile()
	if err != nil {
		return nil
	}
	saved, err := os.ReadFile(file) //nolint:gosec // a fixed name in the user's cache directory
	if err != nil || c.LoadCatalog(bytes.NewReader(saved)) != nil {
		return nil
	}
	return saved
}

// saveCatalog keeps the catalog for the next run, unless it is the one that was loaded. The file is replaced as a whole, since
// another run may read it. An error is not reported: the next run requests the catalog again.
func saveCatalog(c *discovery.Client, loaded []byte) {
	var catalog bytes.Buffer
	file, err := catalogFile()
	if err != nil || c.SaveCatalog(&catalog) != nil || bytes.Equal(catalog.Bytes(), loaded) {
		return
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), "catalog-*")
	if err != nil {
		return
	}
	defer os.Remove(temporary.Name()) // fails after the renaming
	_, err = temporary.Write(catalog.Bytes())
	if closing := temporary.Close(); err != nil || closing != nil {
		return
	}
	_ = os.Rename(temporary.Name(), file)
}

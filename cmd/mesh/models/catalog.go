package models

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/files"
	"github.com/mesh-gateway/mesh-go/discovery"
)

// catalogFile returns the file that keeps the catalog between two runs. The error is that of a user without a cache directory.
func catalogFile() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "mesh", "catalog.json"), err
}

// maxCatalogFile bounds the file, in bytes. A catalog has less than one megabyte.
const maxCatalogFile = 32 << 20

// loadCatalog loads the catalog of an earlier run and returns its bytes. For a file that is missing,
// damaged, too large or of another catalog it returns nil: the catalog is requested then.
func loadCatalog(c *discovery.Client) []byte {
	file, err := catalogFile()
	if err != nil {
		return nil
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() > maxCatalogFile { // a pipe would never answer
		return nil
	}
	saved, err := os.ReadFile(file) //nolint:gosec // a file of the user
	if err != nil || c.LoadCatalog(bytes.NewReader(saved)) != nil {
		return nil
	}
	return saved
}

// saveCatalog keeps the catalog for the next run, unless it is the one that was loaded. An error is not reported: the next run
// requests the catalog again.
func saveCatalog(c *discovery.Client, loaded []byte) {
	var catalog bytes.Buffer
	if file, err := catalogFile(); err == nil && c.SaveCatalog(&catalog) == nil && !bytes.Equal(catalog.Bytes(), loaded) {
		_ = files.WriteAll(file, catalog.Bytes())
	}
}

package models

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/files"
	"github.com/mesh-gateway/mesh-go/discovery"
)

// keepCatalog loads the catalog of an earlier run, and returns a function that saves it for the next one if it is another then. No error is
// reported: without a file the catalog is requested.
func keepCatalog(c *discovery.Client) (save func()) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return func() {}
	}
	name := filepath.Join(dir, "mesh", "catalog.json")
	loaded, err := files.Read(name)
	if err == nil {
		_ = c.LoadCatalog(bytes.NewReader(loaded))
	}
	return func() {
		var catalog bytes.Buffer
		if c.SaveCatalog(&catalog) == nil && !bytes.Equal(catalog.Bytes(), loaded) {
			_ = files.WriteAll(name, catalog.Bytes())
		}
	}
}

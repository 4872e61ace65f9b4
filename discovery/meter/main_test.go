package meter_test

import (
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// sum returns the groups of the first grouping.
func sum(opts calls.SumOptions, paths ...string) ([]calls.Group, error) {
	all, err := calls.Sum(opts, paths...)
	if len(all) == 0 {
		return nil, err
	}
	return all[0], err
}

// writeFiles returns a folder with calls files.
func writeFiles(t testing.TB, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func collect(records iter.Seq2[calls.Record, error]) (all []calls.Record, errs []error) {
	for r, err := range records {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, r)
	}
	return all, errs
}

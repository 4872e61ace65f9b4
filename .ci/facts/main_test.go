package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// write creates the files of a folder and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const source = `package sdk

const (
	// Deprecated: will reach end-of-life on March 3rd, 2027. Use model-3.
	ModelA ChatModel = "model-1"
	// Shutdown date: 2026-12-01
	ModelB ChatModel = "model-2"
	ModelC ChatModel = "model-3"
	Other  string    = "other-1"
)

var path, gemini = "organization/costs", "gemini-2.5-pro"
`

func TestReadSDK(t *testing.T) {
	dir := write(t, map[string]string{"models.go": source, "models_test.go": `package sdk; const X ChatModel = "test-1"`})
	for name, c := range map[string]struct {
		sdk   sdk
		want  map[string]string
		paths map[string]bool
	}{
		"constants": {
			sdk{constants: true, bills: []string{"organization/costs", "v1/costs"}},
			map[string]string{"model-1": "2027-03-03", "model-2": "2026-12-01", "model-3": ""}, map[string]bool{"organization/costs": true},
		},
		"literals": {sdk{}, map[string]string{"gemini-2.5-pro": ""}, map[string]bool{}},
	} {
		found, paths, err := readSDK(dir, c.sdk)
		if err != nil || !reflect.DeepEqual(found, c.want) || !reflect.DeepEqual(paths, c.paths) {
			t.Errorf("%s: %v, %v, %v; want %v, %v", name, found, paths, err, c.want, c.paths)
		}
	}
}

func TestCompare(t *testing.T) {
	known, err := readTables(write(t, map[string]string{
		"models.csv":      "# provider,id\nopenai,model-3,\n",
		"retirements.csv": "openai,model-1,2027-03-03,source\nopenai,model-2,2026-01-01\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		found map[string]string
		ok    bool
		want  string
	}{
		"agree":         {map[string]string{"model-1": "2027-03-03", "model-3": ""}, true, "m v1: 2 of 2 ids listed, 1 of 1 dates agree\n"},
		"another date":  {map[string]string{"model-2": "2026-12-01"}, false, `the SDK has 2026-12-01, the table "2026-01-01"`},
		"unlisted date": {map[string]string{"model-4": "2026-12-01"}, false, "model-4 is in no table"},
		"unlisted":      {map[string]string{"model-4": ""}, true, "model-4 is in no table"},
	} {
		var out strings.Builder
		if ok := compare(&out, sdk{provider: "openai", module: "m"}, "v1", c.found, known); ok != c.ok || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %v, %q", name, ok, &out)
		}
	}
}

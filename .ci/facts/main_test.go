package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// write creates files in a new directory and returns it.
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
		sdk         sdk
		want, paths map[string]bool
		dates       map[string]string
	}{
		"constants": {
			sdk{constants: true, bills: []string{"organization/costs", "v1/costs"}},
			map[string]bool{"model-1": true, "model-2": true, "model-3": true}, map[string]bool{"organization/costs": true},
			map[string]string{"model-1": "2027-03-03", "model-2": "2026-12-01"},
		},
		"literals": {sdk{}, map[string]bool{"gemini-2.5-pro": true}, map[string]bool{}, map[string]string{}},
	} {
		ids, dates, paths, err := readSDK(dir, c.sdk)
		if err != nil || !reflect.DeepEqual(ids, c.want) || !reflect.DeepEqual(dates, c.dates) || !reflect.DeepEqual(paths, c.paths) {
			t.Errorf("%s: %v, %v, %v, %v; want %v", name, ids, dates, paths, err, c)
		}
	}
	twice := strings.Replace(source, "ModelC ChatModel", "// Shutdown date: 2026-12-02\n\tModelD ChatModel = \"model-2\"\n\tModelC ChatModel", 1)
	if _, _, _, err := readSDK(write(t, map[string]string{"models.go": twice}), sdk{constants: true}); err == nil {
		t.Error("two dates for an id")
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
		ids   []string
		dates map[string]string
		newer bool
		ok    bool
		want  string
	}{
		"agree":             {[]string{"model-1", "model-3"}, map[string]string{"model-1": "2027-03-03"}, false, true, "m v1: 2 of 2 ids listed, 1 of 1 dates agree\n"},
		"another date":      {[]string{"model-2"}, map[string]string{"model-2": "2026-12-01"}, false, false, `m has 2026-12-01, the table "2026-01-01"`},
		"an older SDK":      {[]string{"model-2"}, map[string]string{"model-2": "2026-12-01"}, true, true, "m v1: 1 of 1 ids listed, 0 of 1 dates agree\n"},
		"unlisted date":     {[]string{"model-4"}, map[string]string{"model-4": "2026-12-01"}, false, false, "model-4 is in no table"},
		"date in a comment": {[]string{"model-3"}, map[string]string{"model-4": "2026-12-01"}, false, true, "m v1: 1 of 1 ids listed, 0 of 1 dates agree\n"},
		"unlisted":          {[]string{"model-4"}, nil, false, true, "model-4 is in no table"},
	} {
		r := release{Provider: "openai", Name: "m", Version: "v1", Day: "2026-11-01", IDs: map[string]bool{}, Dates: c.dates}
		for _, id := range c.ids {
			r.IDs[id] = true
		}
		all := []release{r}
		if c.newer {
			all = append(all, release{Provider: "openai", Name: "n", Day: "2026-11-02", Dates: map[string]string{"model-2": "2026-01-01"}})
		}
		var out strings.Builder
		if ok := compare(&out, sdk{provider: "openai"}, &r, stated(all, "openai"), known); ok != c.ok || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %v, %q", name, ok, &out)
		}
	}
}

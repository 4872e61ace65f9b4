// The test of this file compiles the code of the documents in testdata/forms, and reads and writes values with it.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// formCases have the JSON that comes out for a type of a document. The folder of shapes.yaml has tests of its own.
var formCases = map[string]map[string]string{
	"a18":                 {`T{"c":"c","a":"a","b":9007199254740993,"u":9007199254740993}`: ``},
	"allof":               {`T{"own":"o","arm":"a","low":"l","x":"y"}`: ``, `U{"id":"i","more":{"n":9007199254740993}}`: ``, `Note{"text":"t"}`: ``, `V{"p":null}`: ``, `V{}`: `{"p":"high"}`},
	"a19":                 {`T{"level":1,"mode":"x","n":2}`: ``, `T{"level":"auto"}`: ``},
	"nullable-array":      {`T{"s":null,"l":null,"m":null}`: ``, `T{}`: `{"s":null}`, `T{"s":"","l":[],"m":{}}`: ``},
	"ref-default-31":      {`T{}`: `{"p":"high"}`, `R{}`: ``, `R{"p":"low"}`: ``},
	"request-empty-array": {`R{"g":[],"f":{},"d":[]}`: ``, `R{"d":null}`: ``, `R{}`: ``, `T{"id":"i","e":null}`: ``, `T{"id":"i"}`: `{"id":"i","e":"x"}`},
}

//nolint:paralleltest // see generateText
func TestGeneratedCodeKeepsEveryValue(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	documents, err := filepath.Glob(filepath.Join(here, "testdata/forms/*.yaml"))
	require.NoError(t, err)
	documents = append(documents, filepath.Join(here, "testdata/forms/shapes/shapes.yaml"))
	t.Chdir("../..")
	described, bodies := describedGateway(t)
	formCases := maps.Clone(formCases)
	formCases["recorded"] = bodies
	documents = append(documents, described)
	folder, overlay, packages := t.TempDir(), map[string]string{}, []string{}
	add := func(name, code string) {
		file := filepath.Join(folder, strings.ReplaceAll(name, "/", "_"))
		require.NoError(t, os.WriteFile(file, []byte(code), 0o600))
		overlay[filepath.Join(here, "forms", filepath.FromSlash(name))] = file
	}
	for _, document := range documents {
		name := strings.TrimSuffix(filepath.Base(document), filepath.Ext(document))
		packages = append(packages, "./internal/generate/forms/"+name)
		add(name+"/code.go", generated(t, "-config", "specs/codegen.yaml", "-package", strings.ReplaceAll(name, "-", ""), document))
		if formCases[name] != nil {
			add(name+"/cases_test.go", casesTest(strings.ReplaceAll(name, "-", ""), formCases[name]))
		}
	}
	tests, err := filepath.Glob(filepath.Join(here, "testdata/forms/shapes/*.go.txt"))
	require.NoError(t, err)
	for _, file := range tests {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		add("shapes/"+strings.TrimSuffix(filepath.Base(file), ".txt"), string(text))
	}
	replace, err := json.Marshal(map[string]any{"Replace": overlay})
	require.NoError(t, err)
	add("overlay.json", string(replace))
	// The folders exist only in the overlay, so the go command can't run the tests in them.
	arguments := append([]string{"test", "-c", "-vet=off", "-o", folder, "-overlay", filepath.Join(folder, "overlay.json")}, packages...)
	output, err := exec.CommandContext(t.Context(), "go", arguments...).CombinedOutput()
	require.NoError(t, err, "%s", output)
	binaries, err := filepath.Glob(filepath.Join(folder, "*.test*"))
	require.NoError(t, err)
	require.Len(t, binaries, len(packages))
	for _, binary := range binaries {
		output, err := exec.CommandContext(t.Context(), binary).CombinedOutput()
		assert.NoError(t, err, "%s", output)
	}
}

// sameMembers is what comes out if only members that are null may be new.
const sameMembers = "same"

// casesTest returns a test that decodes and encodes.
func casesTest(name string, cases map[string]string) string {
	var table strings.Builder
	for in, out := range cases {
		typ, text, _ := strings.Cut(in, "{")
		if text = "{" + text; out == "" {
			out = text
		}
		fmt.Fprintf(&table, "\t\t{new(%s), %q, %q},\n", typ, text, out)
	}
	return fmt.Sprintf(formTest, name, table.String())
}

const formTest = `package %s

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func exact(text string) (v any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

// The document has other forms or defaults for these.
var converted = []string{"enabled", "capabilities", "related_task_id", "peer_token"}

// dropNew removes the members of got that are null and not in want, and those that are converted.
func dropNew(got, want any) {
	switch got := got.(type) {
	case []any:
		for i, element := range got {
			if want, ok := want.([]any); ok && i < len(want) {
				dropNew(element, want[i])
			}
		}
	case map[string]any:
		want, _ := want.(map[string]any)
		for name, member := range got {
			if _, ok := want[name]; !ok && member == nil || slices.Contains(converted, name) {
				delete(got, name)
				delete(want, name)
			}
			dropNew(member, want[name])
		}
	}
}

func Test(t *testing.T) {
	for _, c := range []struct {
		into any
		in, out string
	}{
%s	} {
		err := json.Unmarshal([]byte(c.in), c.into)
		text, _ := json.Marshal(c.into)
		got := exact(string(text))
		want := exact(strings.Replace(c.out, "same", c.in, 1))
		if c.out == "same" {
			dropNew(got, want)
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%%T: %%s becomes %%s, want %%s (%%v)", c.into, c.in, text, c.out, err)
		}
	}
}
`

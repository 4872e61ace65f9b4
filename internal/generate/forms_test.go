// Compiles the code generated from testdata/forms, and reads and writes values with it.
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

// document -> type and JSON -> JSON that comes out, if it differs. shapes.yaml has its
// own tests.
var formCases = map[string]map[string]string{
	"a18":                 {`T{"c":"c","a":"a","b":9007199254740993,"u":9007199254740993}`: ``},
	"allof":               {`T{"own":"o","arm":"a","low":"l","x":"y"}`: ``, `U{"id":"i","more":{"n":9007199254740993}}`: ``, `Note{"text":"t"}`: ``, `V{"p":null}`: ``, `V{}`: `{"p":"high"}`},
	"a19":                 {`T{"level":1,"mode":"x","n":2}`: ``, `T{"level":"auto"}`: ``},
	"nullable-array":      {`T{"s":null,"l":null,"m":null}`: ``, `T{}`: `{"s":null}`, `T{"s":"","l":[],"m":{}}`: ``},
	"unnamed":             {`R{"n":{"tags":[],"s":null},"l":[{"tags":[]},{}],"m":{"a":{"tags":[]}}}`: ``, `R{"n":{}}`: ``, `T{"tags":null,"map":null}`: ``, `T{}`: ``, `T{"tags":[],"file":"no base64","amount":"1.50 or so","x":9007199254740993}`: ``, `T{"amount":1.50}`: ``},
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
	folder, overlay := t.TempDir(), map[string]string{}
	var imports, checks strings.Builder
	add := func(name, code string) {
		file := filepath.Join(folder, strings.ReplaceAll(name, "/", "_"))
		require.NoError(t, os.WriteFile(file, []byte(code), 0o600))
		overlay[filepath.Join(here, "forms", filepath.FromSlash(name))] = file
	}
	for _, document := range documents {
		name := strings.TrimSuffix(filepath.Base(document), filepath.Ext(document))
		pkg := strings.ReplaceAll(name, "-", "")
		add(name+"/code.go", generated(t, "-config", "specs/codegen.yaml", "-package", pkg, document))
		if name == "shapes" { // has its own tests
			continue
		}
		add(name+"/cases.go", casesCheck(pkg, formCases[name]))
		fmt.Fprintf(&imports, "\t%s %q\n", pkg, "github.com/mesh-gateway/mesh-go/internal/generate/forms/"+name)
		fmt.Fprintf(&checks, "\t%s.Check(t.Errorf)\n", pkg)
	}
	// One program for all of them: each takes a second to link.
	add("cases/cases_test.go", fmt.Sprintf("package cases_test\n\nimport (\n\t\"testing\"\n\n%s)\n\nfunc Test(t *testing.T) {\n%s}\n", &imports, &checks))
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
	// These directories exist only in the overlay, so the go command can't run their
	// tests.
	output, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-ldflags=-w", "-o", folder, "-overlay", filepath.Join(folder, "overlay.json"),
		"./internal/generate/forms/cases", "./internal/generate/forms/shapes").CombinedOutput()
	require.NoError(t, err, "%s", output)
	binaries, err := filepath.Glob(filepath.Join(folder, "*.test*"))
	require.NoError(t, err)
	require.Len(t, binaries, 2)
	for _, binary := range binaries {
		output, err := exec.CommandContext(t.Context(), binary).CombinedOutput()
		assert.NoError(t, err, "%s", output)
	}
}

// sameMembers is the output if only null members may be new.
const sameMembers = "same"

// casesCheck returns Go code that decodes and encodes the cases.
func casesCheck(name string, cases map[string]string) string {
	var table strings.Builder
	for in, out := range cases {
		typ, text, _ := strings.Cut(in, "{")
		if text = "{" + text; out == "" {
			out = text
		}
		fmt.Fprintf(&table, "\t\t{new(%s), %q, %q},\n", typ, text, out)
	}
	return fmt.Sprintf(formCheck, name, table.String())
}

const formCheck = `package %s

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
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

// dropNew removes got's null members that aren't in want, and converted ones.
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

func Check(fail func(string, ...any)) {
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
			fail("%%T: %%s becomes %%s, want %%s (%%v)", c.into, c.in, text, c.out, err)
		}
	}
}
`

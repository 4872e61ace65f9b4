// Rewrites our documents in the forms that frameworks use for OpenAPI 3.1.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/mesh-gateway/mesh-go/internal/test/whole"
	"github.com/mesh-gateway/mesh-go/specs"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // a small heap is collected too often
	os.Exit(m.Run())
}

// A form writes a nullable schema in one way. annotations are keys that stay outside
// arms.
type form func(schema, annotations map[string]any) map[string]any

var null = map[string]any{"type": "null"}

var forms = map[string]form{
	"type lists": func(schema, annotations map[string]any) map[string]any {
		if schema["type"] == nil { // a $ref in an allOf has no type
			return merge(annotations, map[string]any{"anyOf": append(slices.Clone(schema["allOf"].([]any)), null)})
		}
		return merge(annotations, merge(schema, map[string]any{"type": []any{schema["type"], "null"}}))
	},
	"anyOf": func(schema, annotations map[string]any) map[string]any {
		return merge(annotations, map[string]any{"anyOf": []any{arm(schema), null}})
	},
	"oneOf, null first": func(schema, annotations map[string]any) map[string]any {
		return merge(annotations, map[string]any{"oneOf": []any{null, arm(schema)}})
	},
	"annotations in the arm": func(schema, annotations map[string]any) map[string]any {
		outer := map[string]any{"title": "A title"}
		for key, value := range annotations {
			if key != "description" && key != "format" {
				outer[key] = value
			}
		}
		return merge(outer, map[string]any{"anyOf": []any{merge(arm(schema), map[string]any{"description": annotations["description"]}), null}})
	},
}

// arm returns schema as an arm: just the $ref if it only wraps one in an allOf.
func arm(schema map[string]any) map[string]any {
	if refs, ok := schema["allOf"].([]any); ok && len(schema) == 1 {
		return refs[0].(map[string]any)
	}
	return schema
}

func merge(a, b map[string]any) map[string]any {
	merged := map[string]any{}
	for _, m := range []map[string]any{a, b} {
		for key, value := range m {
			if value != nil {
				merged[key] = value
			}
		}
	}
	return merged
}

// rewrite applies write to every nullable schema in value, arms before the schema that
// contains them.
func rewrite(value any, write form) any {
	switch value := value.(type) {
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = rewrite(v, write)
		}
		return out
	case map[string]any:
		for _, union := range []string{"oneOf", "anyOf"} {
			if arms, ok := value[union].([]any); ok && slices.ContainsFunc(arms, isNullable) {
				value = merge(value, map[string]any{union: append(withoutNull(arms), null)})
			}
		}
		out := map[string]any{}
		for key, v := range value {
			out[key] = rewrite(v, write)
		}
		if out["nullable"] != true {
			return out
		}
		delete(out, "nullable")
		schema, annotations := map[string]any{}, map[string]any{}
		for key, v := range out {
			if slices.Contains([]string{"description", "default", "readOnly", "writeOnly", "deprecated", "example"}, key) || strings.HasPrefix(key, "x-") {
				annotations[key] = v
			} else {
				schema[key] = v
			}
		}
		return write(schema, annotations)
	}
	return value
}

func isNullable(arm any) bool { return arm.(map[string]any)["nullable"] == true }

func withoutNull(arms []any) (out []any) {
	for _, arm := range arms {
		arm := merge(arm.(map[string]any), nil)
		delete(arm, "nullable")
		out = append(out, arm)
	}
	return out
}

// newer writes the document as OpenAPI 3.1 with properties sorted by name, and returns
// its path. If write is nil, it only sorts.
func newer(t *testing.T, document string, write form) string {
	t.Helper()
	data, err := os.ReadFile(document)
	require.NoError(t, err)
	var value map[string]any
	require.NoError(t, yaml.Unmarshal(data, &value))
	if write != nil {
		value = rewrite(value, write).(map[string]any)
		value["openapi"] = "3.1.0"
	}
	text, err := json.Marshal(value)
	require.NoError(t, err)
	if write != nil {
		require.NotContains(t, string(text), `"nullable":true`, "only the form writes null")
	}
	path := filepath.Join(t.TempDir(), "newer.json")
	if beside, err := os.ReadFile(filepath.Join(filepath.Dir(document), "beside.yaml")); err == nil { // the shapes refer to it
		require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "beside.yaml"), beside, 0o600))
	}
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// generated returns the code that run prints.
func generated(t *testing.T, args ...string) string {
	t.Helper()
	var code strings.Builder
	require.NoError(t, run(args, &code), "%s", args)
	return code.String()
}

// Not parallel: the generator has global state, and configurations have relative paths.
func TestDocumentsInEveryFormGenerateTheSameCode(t *testing.T) { //nolint:paralleltest // see the comment
	t.Chdir("../..")
	nullable := 0
	for i, name := range specs.Names() {
		document := "specs/" + name + ".yaml"
		want, err := os.ReadFile("gen/" + name + "/" + name + ".gen.go")
		require.NoError(t, err)
		args := []string{"-config", "specs/codegen.yaml", "-overlay", "specs/go.overlay.yaml", "-package", name}
		require.Equal(t, string(want), generated(t, append(args, document)...), "run: make generate")
		if i%3 != 0 && !whole.Tests() {
			continue
		}
		sorted := generated(t, append(args, newer(t, document, nil))...)
		for j, form := range slices.Sorted(maps.Keys(forms)) {
			if j != i%len(forms) && !whole.Tests() {
				continue // the next test has all forms
			}
			path := newer(t, document, forms[form])
			assert.Empty(t, difference(sorted, generated(t, append(args, path)...)), "%s: %s", name, form)
			nullable += strings.Count(read(t, path), `"null"`)
		}
	}
	assert.Greater(t, nullable, 25, "the documents have nullable fields")
}

func TestShapesInEveryFormGenerateTheSameCode(t *testing.T) { //nolint:paralleltest // see TestDocumentsInEveryFormGenerateTheSameCode
	t.Chdir("../..")
	const shapes = "internal/generate/testdata/forms/shapes/shapes.yaml"
	args := []string{"-package", "shapes", "-config", "specs/codegen.yaml"}
	sorted := generated(t, append(args, newer(t, shapes, nil))...)
	for form, write := range forms {
		assert.Empty(t, difference(sorted, generated(t, append(args, newer(t, shapes, write))...)), form)
	}
}

// difference returns the first line that differs.
func difference(want, got string) string {
	if want == got {
		return ""
	}
	lines, others := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(lines), len(others)) {
		if lines[i] != others[i] {
			return fmt.Sprintf("line %d: %q, want %q", i+1, others[i], lines[i])
		}
	}
	return "one text is longer"
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

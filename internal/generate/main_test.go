package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// running is a running gateway's document without descriptions.
const running = "testdata/running-openapi.json"

//nolint:paralleltest // see generateText
func TestOperationsAreSelectedWithTheirSchemas(t *testing.T) {
	all := generated(t, "-package", "tasks", running)
	few := generated(t, "-package", "tasks", "-operations", "task_claim_tasks_claim_post,task_fail_tasks__task_pk__fail_post", running)
	for text, code := range map[string]string{"type ThreadCreateRequest struct": all, "type TaskClaimRequest struct": few, "type TaskFailRequest struct": few} {
		assert.Contains(t, code, text)
	}
	assert.NotContains(t, few, "ThreadCreateRequest")
	assert.Less(t, strings.Count(few, "\n"), 150)

	err := run([]string{"-package", "p", "-operations", "task_list_tasks_get,nonesuch", running}, &strings.Builder{})
	assert.EqualError(t, err, "the document has no operation nonesuch")
}

//nolint:paralleltest // see generateText
func TestOptionalStringsOfARunningGatewayAreNoUnions(t *testing.T) {
	code := generated(t, "-package", "p", running)
	assert.Contains(t, code, "\tThreadId     *string                `json:\"thread_id,omitempty\"`")
	assert.Equal(t, 1, strings.Count(code, "union json.RawMessage"), "a validation error's place is the only union")
}

//nolint:paralleltest // see generateText
func TestOutputIsWrittenToAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "code.go")
	var out strings.Builder
	require.NoError(t, run([]string{"-package", "p", "-o", file, running}, &out))
	assert.Empty(t, out.String())
	_, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
}

//nolint:paralleltest // see generateText
func TestNormalizedDocumentIsWritten(t *testing.T) {
	text := generated(t, "-normalize", running)
	doc, err := openapi3.NewLoader().LoadFromData([]byte(text))
	require.NoError(t, err)
	assert.Equal(t, "3.0.3", doc.OpenAPI)
	assert.NotContains(t, text, `"null"`)
	assert.Equal(t, text, generated(t, "-normalize", running), "the output is stable")
}

//nolint:paralleltest // see generateText
func TestInvalidArguments(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("pakage: p\n"), 0o600))
	for message, args := range map[string][]string{
		"exactly one document":          {"-package", "p"},
		"package name must":             {running},
		"flag provided but not defined": {"-nonesuch", running},
		"is not an OpenAPI document":    {"-normalize", config},
		"no such file":                  {"-package", "p", "nonesuch.yaml"},
		"field pakage not found":        {"-config", config, running},
		"failed to load Overlay":        {"-package", "p", "-overlay", "nonesuch.yaml", running},
	} {
		file := filepath.Join(t.TempDir(), "code.go")
		assert.ErrorContains(t, run(append([]string{"-o", file}, args...), &strings.Builder{}), message)
		assert.NoFileExists(t, file)
	}
}

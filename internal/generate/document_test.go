package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// written writes a file to a new directory and returns its path.
func written(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

const notRead = "is not read; a $ref must point into the document or a file next to it"

// A foreign gateway's document must not make the generator request or read anything else.
//
//nolint:paralleltest // see generateText
func TestOnlyFilesBesideADocumentAreRead(t *testing.T) {
	var requests atomic.Int64
	var text string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = w.Write([]byte(text))
	}))
	defer server.Close()
	file := written(t, "document.json", "")
	for _, name := range []string{"leaf.json", "other/leaf.json"} {
		path := filepath.Join(filepath.Dir(file), name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(`{"type":"object","properties":{"a":{"type":"string"}}}`), 0o600))
	}
	for ref, message := range map[string]string{
		"leaf.json": "", "./leaf.json": "", "other/leaf.json": "", "#/components/schemas/T/$defs/L": "", "#/components/schemas/T/properties/q": "", "#/$defs/L": "",
		"../leaf.json": notRead, filepath.ToSlash(filepath.Dir(file)) + "/leaf.json": notRead, "file:leaf.json": notRead,
		"file://" + filepath.ToSlash(filepath.Dir(file)) + "/leaf.json": notRead, server.URL + "/leaf.json": notRead, "//" + server.Listener.Addr().String() + "/leaf.json": notRead,
		"none.json": "none.json: ", "#/components/schemas/None": `"None" not found; a $ref must point`, "#leaf": "expected fragment prefix",
	} {
		text = strings.Replace(document(`"p":{"$ref":"REF"},"q":{"type":"string"}`, `,"$defs":{"L":{"type":"string"}}`), "REF", ref, 1)
		text = strings.Replace(text, `"paths"`, `"$defs":{"L":{"type":"string"}},"paths"`, 1)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		err := run([]string{"-package", "p", file}, &strings.Builder{})
		if message == "" {
			require.NoError(t, err, ref)
		} else {
			require.ErrorContains(t, err, message)
			require.ErrorContains(t, err, "components.schemas.T.properties.p.$ref: ")
		}
		assert.Zero(t, requests.Load(), "the document was requested once more: %s", ref)

		err = run([]string{"-normalize", server.URL}, &strings.Builder{})
		assert.Equal(t, int64(1), requests.Swap(0), ref)
		if strings.HasPrefix(ref, "#/") && message == "" {
			require.NoError(t, err, ref)
		} else {
			require.ErrorContains(t, err, "components.schemas.T.properties.p.$ref: ")
		}
	}
}

//nolint:paralleltest // see generateText
func TestASchemaThatIsItselfOrNullIsRefused(t *testing.T) {
	_, failed := generateText(t, document(`"p":null`, ``))
	assert.EqualError(t, failed, "components.schemas.T.properties.p: null; describe it or remove it")
	for _, ref := range []string{`null`, `""`, `5`, `{}`} {
		_, failed = generateText(t, strings.Replace(document(``, ``), `"paths":{`, `"paths":{"/a":{"get":{"responses":{"200":{"$ref":`+ref+`}}}}`, 1))
		assert.EqualError(t, failed, "paths./a.get.responses.200.$ref: null; describe it or remove it", ref)
	}
	_, err := generateText(t, document(`"p":{"type":"string"}`, `},"U":{"$ref":"#/components/schemas/U"`))
	assert.EqualError(t, err, "components.schemas.U: it refers to itself")
}

// A part from another file becomes a separate component with its own unknown fields.
//
//nolint:paralleltest // see generateText
func TestPartsOfOtherFilesBecomeComponents(t *testing.T) {
	file := written(t, "document.json", `{"openapi":"3.1.0","info":{"title":"t","version":"1"},
		"paths":{"/a":{"$ref":"paths.json"}},"components":{"schemas":{"Leaf":{"$ref":"other.json#/components/schemas/Leaf"}}}}`)
	for name, text := range map[string]string{
		"paths.json": `{"get":{"operationId":"a","parameters":[{"$ref":"other.json#/components/parameters/P"}],"responses":{"200":{"$ref":"other.json#/components/responses/R"}}}}`,
		"other.json": `{"components":{"schemas":{"Leaf":{"type":"object","properties":{"deep":{"$ref":"#/components/schemas/Deep"}}},"Deep":{"type":"object","properties":{"d":{"type":"string"}}}},
			"parameters":{"P":{"name":"p","in":"query","schema":{"type":"string"}}},"responses":{"R":{"description":"d","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Leaf"}}}}}}}`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), name), []byte(text), 0o600))
	}
	t.Chdir("../..")
	code := strings.Join(strings.Fields(generated(t, "-config", "specs/codegen.yaml", "-package", "p", file)), " ")
	for _, text := range []string{"type Leaf struct { Deep *OtherDeep `json:", "type OtherDeep struct { D *string `json:", "wire.Register[OtherDeep](", "P *OtherP `form:\"p"} {
		assert.Contains(t, code, text)
	}
}

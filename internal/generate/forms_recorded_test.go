// Adds members from recorded bodies that our document lacks.
package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/specs"
)

// describedGateway writes our document with all recorded members that it lacks, optional
// and nullable. It returns the path, and the recorded bodies as cases.
func describedGateway(t *testing.T) (string, map[string]string) {
	t.Helper()
	data, err := specs.Document("gateway")
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(data)
	require.NoError(t, err)
	doc.Servers = nil // the router would match only their URLs
	router, err := legacy.NewRouter(doc)
	require.NoError(t, err)
	files, err := filepath.Glob("internal/test/contract/testdata/gateway/*.json")
	require.NoError(t, err)
	bodies, added := map[string]string{}, map[string]bool{}
	for _, file := range files {
		schema, body := recordedBody(t, router, file)
		if schema == nil {
			continue
		}
		bodies[path.Base(schema.Ref)+string(body)] = sameMembers
		var value any
		require.NoError(t, json.Unmarshal(body, &value))
		describe(schema.Value, value, added)
	}
	message := doc.Components.Schemas["MeshMessage"].Value.Properties
	require.Subset(t, slices.Collect(maps.Keys(message)), []string{"mentions", "channel"})
	assert.Greater(t, len(bodies), 20)
	text, err := doc.MarshalJSON()
	require.NoError(t, err)
	document := filepath.Join(t.TempDir(), "recorded.json")
	require.NoError(t, os.WriteFile(document, text, 0o600))
	return document, bodies
}

// recordedBody returns a recorded response's schema and body, or nil if it's not in the
// document or isn't an object.
func recordedBody(t *testing.T, router routers.Router, file string) (*openapi3.SchemaRef, []byte) {
	t.Helper()
	var recorded struct {
		Request  struct{ Method, Path string }
		Response struct {
			Status int
			Body   json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, file)), &recorded))
	request, err := http.NewRequestWithContext(t.Context(), recorded.Request.Method, recorded.Request.Path, nil)
	require.NoError(t, err)
	route, _, err := router.FindRoute(request)
	if err != nil || len(recorded.Response.Body) == 0 || recorded.Response.Body[0] != '{' {
		return nil, nil
	}
	response := route.Operation.Responses.Status(recorded.Response.Status)
	if response == nil {
		response = route.Operation.Responses.Default()
	}
	return response.Value.Content.Get("application/json").Schema, recorded.Response.Body
}

// describe adds value's members to the schema, and their names to added.
func describe(s *openapi3.Schema, value any, added map[string]bool) {
	for _, arm := range arms(s) {
		if _, isArray := value.([]any); isArray == arm.Value.Type.Is("array") {
			describe(arm.Value, value, added)
		}
	}
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			if s.Items != nil {
				describe(s.Items.Value, element, added)
			}
		}
	case map[string]any:
		for name, member := range value {
			known := s.Properties[name]
			if len(s.Properties) > 0 && (known == nil || added[name] && known.Value.Type.Is("string") && member != nil) {
				s.Properties[name], added[name] = schemaOf(member), true
			} else if known != nil {
				describe(known.Value, member, added)
			}
		}
	}
}

func schemaOf(value any) *openapi3.SchemaRef {
	var s *openapi3.Schema
	switch value.(type) {
	case []any:
		s = openapi3.NewArraySchema().WithItems(openapi3.NewSchema())
	case map[string]any:
		s = openapi3.NewObjectSchema().WithAnyAdditionalProperties()
	case float64:
		s = openapi3.NewInt64Schema()
	case bool:
		s = openapi3.NewBoolSchema()
	default:
		s = openapi3.NewStringSchema()
	}
	s.Nullable = true
	return s.NewRef()
}

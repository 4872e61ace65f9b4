package methods

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/contract"
)

// Example is a good response: the longest recording, or else gatewaytest's answer.
type Example struct {
	Body []byte
	// Text, Integer and Object are the first such values, as member names and indexes. If
	// there is no text or integer, they are another value.
	Text, Integer, Object []any
	// Required are the places where null is an error, such as "threads[].topic", and "" for
	// the whole response.
	Required []string
}

// Example returns a good response. dir is internal/test/contract/testdata/gateway.
func (m Method) Example(t *testing.T, dir string) Example {
	t.Helper()
	checker, err := contract.New("gateway")
	require.NoError(t, err)
	request, body := m.send(t)
	operation := checker.Operation(request)
	require.NotNil(t, operation, "%s: specs/gateway.yaml lacks %s %s", m.Name, request.Method, request.URL.Path)
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	recorded := 0
	for _, file := range files {
		var r struct {
			Request  struct{ Method, Path string }
			Response struct {
				Status int
				Body   json.RawMessage
			}
		}
		text, err := os.ReadFile(file) //nolint:gosec // our recordings
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &r), file)
		same, err := http.NewRequestWithContext(t.Context(), r.Request.Method, r.Request.Path, nil)
		require.NoError(t, err)
		if checker.Operation(same) == operation && r.Response.Status == http.StatusOK && len(r.Response.Body) > recorded {
			body, recorded = r.Response.Body, len(r.Response.Body)
		}
	}
	var value any
	require.NoError(t, json.Unmarshal(body, &value), "%s: %s", m.Name, body)
	e := Example{Body: body, Object: first(value, nil, isObject), Text: first(value, nil, isText), Integer: first(value, nil, isInteger)}
	for _, place := range []*[]any{&e.Text, &e.Integer} {
		if *place == nil {
			*place = first(value, nil, func(v any) bool { return !isObject(v) })
		}
	}
	schema := operation.Responses.Status(http.StatusOK).Value.Content.Get("application/json").Schema
	e.Required = required(schema.Value, value, "", []string{""})
	slices.Sort(e.Required)
	e.Required = slices.Compact(e.Required)
	return e
}

// send returns the method's first request, with its path as in the document, and
// gatewaytest's response.
func (m Method) send(t *testing.T) (sent *http.Request, body []byte) {
	t.Helper()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-a", "node-b"), gatewaytest.WithThreads(ThreadID))
	transport := roundTripper(func(r *http.Request) (*http.Response, error) {
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil || sent != nil {
			return response, err
		}
		sent = r.Clone(t.Context())
		sent.URL.Path = sent.URL.Path[len("/gateway"):]
		body, err = io.ReadAll(response.Body)
		return response, err
	})
	c, err := client.New("node-a", append(g.Options(), client.WithHTTPClient(&http.Client{Transport: transport}))...)
	require.NoError(t, err)
	defer c.Close()
	_, err = m.Call(t.Context(), c)
	require.NotNil(t, sent, "%s sends no request: %v; add a valid argument to internal/test/methods", m.Name, err)
	return sent, body
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func isObject(v any) bool  { _, ok := v.(map[string]any); return ok }
func isText(v any) bool    { _, ok := v.(string); return ok }
func isInteger(v any) bool { _, ok := v.(float64); return ok }

// first returns the first accepted value's place. Deeper objects come before their
// parents.
func first(value any, at []any, accept func(any) bool) []any {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if place := first(v[name], append(slices.Clip(at), name), accept); place != nil {
				return place
			}
		}
	case []any:
		for i := range v {
			if place := first(v[i], append(slices.Clip(at), i), accept); place != nil {
				return place
			}
		}
	}
	if accept(value) {
		return append([]any{}, at...)
	}
	return nil
}

// required adds the places in value that the schema requires and that may not be null.
func required(schema *openapi3.Schema, value any, at string, all []string) []string {
	if len(schema.OneOf) > 0 || len(schema.AnyOf) > 0 {
		for _, arm := range append(schema.OneOf, schema.AnyOf...) {
			if isObject(value) == arm.Value.Type.Is("object") {
				all = required(arm.Value, value, at, all)
			}
		}
		return all
	}
	switch v := value.(type) {
	case map[string]any:
		for name, property := range schema.Properties {
			place := name
			if at != "" {
				place = at + "." + name
			}
			if _, has := v[name]; !has || property.Value.Nullable || !slices.Contains(schema.Required, name) {
				continue
			}
			all = required(property.Value, v[name], place, append(all, place))
		}
	case []any:
		for _, row := range v {
			all = required(schema.Items.Value, row, at+"[]", append(all, at+"[]"))
		}
	}
	return all
}

package specs_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/util"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/mesh-gateway/mesh-go/specs"
)

// loadForGo returns a document as the Go generator reads it, with the overlay.
func loadForGo(t *testing.T, name string) *openapi3.T {
	t.Helper()
	doc, err := util.LoadSwaggerWithOverlay(name+".yaml", util.LoadSwaggerWithOverlayOpts{Path: "go.overlay.yaml"})
	require.NoError(t, err)
	return doc
}

var unused = regexp.MustCompile(`(?m)^- \w+ action \((\d+ / \d+)\) target=.*: does nothing$`)

// The generator skips targets that a document doesn't have, so it would ignore a
// misspelled one everywhere.
func TestEveryActionOfTheOverlayChangesADocument(t *testing.T) {
	t.Parallel()
	idle := unusedActions("gateway")
	assert.NotEmpty(t, idle, "some actions are for other documents")
	for _, name := range specs.Names() {
		of := unusedActions(name)
		idle = slices.DeleteFunc(idle, func(action string) bool { return !slices.Contains(of, action) })
	}
	assert.Empty(t, idle)
}

func unusedActions(name string) []string {
	_, err := util.LoadSwaggerWithOverlay(name+".yaml", util.LoadSwaggerWithOverlayOpts{Path: "go.overlay.yaml", Strict: true})
	if err == nil {
		return nil
	}
	return unused.FindAllString(err.Error(), -1)
}

// A target that names a schema must not match another document's schema with the same
// name and another meaning.
func TestTargetsOfTheOverlayBelongToOneDocument(t *testing.T) {
	t.Parallel()
	var overlay struct{ Actions []struct{ Target string } }
	text, err := os.ReadFile("go.overlay.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &overlay))
	ofTitle := regexp.MustCompile(`^\$\.components\[\?\$\.info\.title == '([^']+)'\]`)
	named := regexp.MustCompile(`schemas(\.\w|\[')|properties(\.\w|\[')`)
	titles := map[string]bool{}
	for _, name := range specs.Names() {
		titles[load(t, name).Info.Title] = true
	}
	for _, action := range overlay.Actions {
		if title := ofTitle.FindStringSubmatch(action.Target); title != nil {
			assert.True(t, titles[title[1]], action.Target)
		} else {
			assert.NotRegexp(t, named, action.Target, "it names a schema but no document")
		}
	}
	assert.Len(t, titles, len(specs.Names()), "two documents have the same title")
}

// Plain oapi-codegen obeys x-go-type too, and would generate code with our types. Stock
// linters refuse an extension next to a $ref.
func TestDocumentsHaveNoExtensions(t *testing.T) {
	t.Parallel()
	extension := regexp.MustCompile(`(?m)^.*\bx-[a-z-]+:.*$`)
	for _, name := range specs.Names() {
		document, err := specs.Document(name)
		require.NoError(t, err)
		assert.Empty(t, extension.FindAllString(string(document), -1), "%s: it belongs into go.overlay.yaml", name)
	}
}

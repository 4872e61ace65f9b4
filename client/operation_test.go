package client_test

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"net/http"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/contract"
)

// The documentation of the methods is the only list of the requests.
func TestEveryOperationIsInTheDocumentationOfAMethod(t *testing.T) {
	t.Parallel()
	request, parameter := regexp.MustCompile(`\(([A-Z]+ /[^)]*)\)`), regexp.MustCompile(`\{[^}]*\}`)
	named := make(map[string]bool)
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if method, ok := decl.(*ast.FuncDecl); ok && method.Recv != nil && method.Name.IsExported() {
				for _, found := range request.FindAllStringSubmatch(method.Doc.Text(), -1) {
					named[parameter.ReplaceAllString(found[1], "{}")] = true
				}
			}
		}
	}
	checker, err := contract.New("gateway")
	require.NoError(t, err)
	for path, item := range checker.Document().Paths.Map() {
		for method, op := range item.Operations() {
			want := method + " " + parameter.ReplaceAllString(path, "{}")
			assert.True(t, named[want], "%s: the comment of a method of MeshClient has to contain (%s)", op.OperationID, want)
		}
	}
}

// No request has a header that it does not need. TestRequestsAndResponsesConformToTheDocument checks paths and parameters.
func TestHeadersOfEveryOperation(t *testing.T) {
	t.Parallel()
	g := gateway(t, gatewaytest.WithThreads(threadID))
	c := connect(t, g, "node-a")
	g.Store("node-b", "node-a", "fyi", "for Watch")
	for _, call := range operations {
		require.NoError(t, ignoringStatus(call(t.Context(), c)))
	}
	for _, r := range g.Requests() {
		headers := []string{"User-Agent", "Accept-Encoding"}
		if r.Method == http.MethodPost {
			headers = append(headers, "Content-Length")
		}
		if r.Body != "" {
			headers = append(headers, "Content-Type")
		}
		for name := range r.Header {
			assert.Contains(t, headers, name, r.Operation)
		}
	}
}

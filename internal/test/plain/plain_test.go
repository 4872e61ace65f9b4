package plain_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
	"github.com/mesh-gateway/mesh-go/specs"
)

// program reads responses with the generated clients. The test inserts the imports and
// the table.
//
//go:embed testdata/read.go.txt
var program string

type exchange struct {
	Operation string          `json:"operation"` // such as "gateway.listPeers"
	Name      string          `json:"name"`      // recording, for messages
	Status    int             `json:"status"`
	Body      json.RawMessage `json:"body"`
}

func TestPlainClientsReadRecordedResponses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	exchanges := gatewayExchanges(t)
	if whole.Tests() {
		exchanges = append(exchanges, providerExchanges(t)...)
	}
	operations := generateClients(t, folder)
	for _, e := range exchanges {
		delete(operations, e.Operation)
	}
	maps.DeleteFunc(operations, func(name string, _ bool) bool { return strings.HasPrefix(name, "gateway.") }) // internal/test/contract checks those
	assert.Empty(t, operations, "add a provider's new operation to providerExchanges")

	decoded := run(t, folder, exchanges)
	require.Len(t, decoded, len(exchanges))
	for i, e := range exchanges {
		assert.JSONEq(t, withoutNulls(t, e.Body), withoutNulls(t, decoded[i]), "%s %s", e.Operation, e.Name)
	}
}

// clients is the directory for the program and the generated clients. It exists only in
// an overlay, but inside this package, so that the go command finds their imports. Its
// builds are reused while the files stay the same.
const clients = "clients"

// generateClients writes the generated packages, the program and the overlay, and returns
// the operations' names. Nothing else in this process may call the generator, because it
// has global state.
func generateClients(t *testing.T, folder string) map[string]bool {
	t.Helper()
	here, err := os.Getwd()
	require.NoError(t, err)
	overlay := map[string]string{}
	write := func(name, code string) {
		file := filepath.Join(folder, strings.ReplaceAll(name, "/", "_"))
		require.NoError(t, os.WriteFile(file, []byte(code), 0o600))
		overlay[filepath.Join(here, clients, filepath.FromSlash(name))] = file
	}
	operations := map[string]bool{}
	var imports, table strings.Builder
	for _, name := range documents() {
		data, err := specs.Document(name)
		require.NoError(t, err)
		doc, err := openapi3.NewLoader().LoadFromData(data)
		require.NoError(t, err)
		fmt.Fprintf(&imports, "\t%q\n", path.Join("github.com/mesh-gateway/mesh-go/internal/test/plain", clients, name))
		for _, item := range doc.Paths.Map() {
			for _, operation := range item.Operations() {
				operations[name+"."+operation.OperationID] = true
				fmt.Fprintf(&table, "\t%q: read(%s.Parse%sResponse),\n", name+"."+operation.OperationID, name, codegen.UppercaseFirstCharacter(operation.OperationID))
			}
		}

		code, err := codegen.Generate(doc, codegen.Configuration{
			PackageName: name, Generate: codegen.GenerateOptions{Models: true, Client: true},
		}.UpdateDefaults())
		require.NoError(t, err, name)
		write(name+"/client.go", code)
	}
	write("main.go", strings.NewReplacer("\t// IMPORTS\n", imports.String(), "\t// TABLE\n", table.String()).Replace(program))
	replace, err := json.Marshal(map[string]any{"Replace": overlay})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "overlay.json"), replace, 0o600))
	return operations
}

// documents returns only the gateway's document unless all tests run, because clients
// take long to compile.
func documents() []string {
	if whole.Tests() {
		return specs.Names()
	}
	return []string{"gateway"}
}

// run builds the program and returns what its clients decoded, encoded again.
func run(t *testing.T, folder string, exchanges []exchange) []json.RawMessage {
	t.Helper()
	input, err := json.Marshal(exchanges)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "go", "run", "-overlay", filepath.Join(folder, "overlay.json"), "./"+clients)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	require.NoError(t, err, "%s", stderr.String())
	var decoded []json.RawMessage
	require.NoError(t, json.Unmarshal(output, &decoded))
	return decoded
}

// gatewayExchanges returns the gateway's recorded responses, including errors.
func gatewayExchanges(t *testing.T) []exchange {
	t.Helper()
	files, err := filepath.Glob("../contract/testdata/gateway/*.json")
	require.NoError(t, err)
	data, err := specs.Document("gateway")
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(data)
	require.NoError(t, err)
	doc.Servers = nil // the router would match only their URLs
	router, err := legacy.NewRouter(doc)
	require.NoError(t, err)
	var exchanges []exchange
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var recorded struct {
			Request  struct{ Method, Path string }
			Response struct {
				Status int
				Body   json.RawMessage
			}
		}
		require.NoError(t, json.Unmarshal(data, &recorded))
		request, err := http.NewRequestWithContext(t.Context(), recorded.Request.Method, recorded.Request.Path, nil)
		require.NoError(t, err)
		route, _, err := router.FindRoute(request)
		if err != nil || len(recorded.Response.Body) == 0 { // not in the document, or plain text
			continue
		}
		exchanges = append(exchanges, exchange{"gateway." + route.Operation.OperationID, filepath.Base(file), recorded.Response.Status, recorded.Response.Body})
	}
	return exchanges
}

// providerExchanges returns a discoverytest response for each operation.
func providerExchanges(t *testing.T) []exchange {
	t.Helper()
	server := discoverytest.New(t)
	var exchanges []exchange
	for operation, target := range map[discoverytest.Operation]string{
		discoverytest.ListCatalog:           "/catalog/models",
		discoverytest.ListOpenAIModels:      "/openai/v1/models",
		discoverytest.ListOpenAICosts:       "/openai/v1/organization/costs?start_time=1790000000&group_by=line_item",
		discoverytest.ListDeepSeekModels:    "/deepseek/models",
		discoverytest.GetDeepSeekBalance:    "/deepseek/user/balance",
		discoverytest.ListAnthropicModels:   "/anthropic/v1/models",
		discoverytest.ListAnthropicCosts:    "/anthropic/v1/organizations/cost_report?starting_at=2026-05-01T00:00:00Z&group_by[]=description",
		discoverytest.ListAnthropicUsage:    "/anthropic/v1/organizations/usage_report/messages?starting_at=2026-05-01T00:00:00Z&group_by[]=model",
		discoverytest.ListGeminiModels:      "/gemini/v1beta/models",
		discoverytest.ListXAIModels:         "/xai/v1/models",
		discoverytest.ListXAILanguageModels: "/xai/v1/language-models",
		discoverytest.CloudBillingListSKUs:  "/cloudbilling/v1/services/AEFD-7695-64FA/skus",
		discoverytest.GetXAIUsage:           "/xaimanagement/v1/billing/teams/t/usage",
	} {
		exchanges = append(exchanges, ask(t, server.URL, operation, target))
	}
	return exchanges
}

func ask(t *testing.T, url string, operation discoverytest.Operation, target string) exchange {
	t.Helper()
	method, body := http.MethodGet, ""
	if operation == discoverytest.GetXAIUsage {
		method = http.MethodPost
		body = `{"analyticsRequest":{"timeRange":{"startTime":"2026-05-01 00:00:00","endTime":"2026-05-03 00:00:00","timezone":"UTC"},"timeUnit":"TIME_UNIT_DAY",
			"values":[{"name":"usd","aggregation":"AGGREGATION_SUM"}],"groupBy":["description"],"filters":[]}}`
	}
	request, err := http.NewRequestWithContext(t.Context(), method, url+target, strings.NewReader(body))
	require.NoError(t, err)
	for _, header := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
		request.Header.Set(header, "Bearer example")
	}
	request.Header.Set("Anthropic-Version", "2023-06-01")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "%s: %s", operation, text)
	return exchange{Operation: string(operation), Status: response.StatusCode, Body: text}
}

// withoutNulls removes null members, which the clients omit.
func withoutNulls(t *testing.T, text []byte) string {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal(text, &value))
	clean, err := json.Marshal(dropNulls(value))
	require.NoError(t, err)
	return string(clean)
}

func dropNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if member == nil {
				delete(value, name)
			}
			dropNulls(member)
		}
	case []any:
		for _, element := range value {
			dropNulls(element)
		}
	}
	return value
}

// These tests notice changes to what programs rely on: JSON output and the agents' tools.
// See docs/compatibility.md.

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/newfacts"
)

var updateGolden = flag.Bool("update", false, "add new lines to the golden files; never removes any")

// checkGolden compares lines with a testdata file. A missing line is a name that was
// removed, renamed or retyped, which breaks programs. To add lines, run go test
// ./cmd/mesh -run Stable -update.
func checkGolden(t *testing.T, name string, lines []string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	golden := strings.FieldsFunc(string(text), func(r rune) bool { return r == '\r' || r == '\n' })
	assert.Empty(t, without(golden, lines), "removed, renamed or with another type")
	added := without(lines, golden)
	if !*updateGolden {
		assert.Empty(t, added, "new; go test ./cmd/mesh -run Stable -update")
		return
	}
	golden = append(golden, added...)
	slices.Sort(golden)
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(golden, "\n")+"\n"), 0o600))
}

// without returns the lines that aren't in others.
func without(lines, others []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(others, line) })
}

// jsonRuns are commands that print JSON, with their names in testdata/json_output.txt.
// They run in this order. DIR is filesForJSON's directory, THREAD a thread's id.
var jsonRuns = [][2]string{
	{"register", `register --url http://node-a:8787 --capabilities {"models":["m"]}`},
	{"peers", "peers"},
	{"peer", "peer node-a"},
	{"health", "health"},
	{"whoami", "whoami"},
	{"send", "send node-b question hello --thread builds --task 7"},
	{"pending", "pending"},
	{"sent", "sent"},
	{"reply", "reply 1 answer yes --read"},
	{"inbox", "inbox"},
	{"read", "read 1"},
	{"threads", "threads"},
	{"threads ID", "threads THREAD"},
	{"models", "models"},
	{"models ID", "models gpt-4o"},
	{"price", "price claude-3-5-sonnet-20241022"},
	{"price --input", "price claude-3-5-sonnet-20241022 --input 1 --cache-read 1 --output 1 --at 2025-01-21"},
	{"prices", "prices"},
	{"prices --stale", "prices --stale 0d"},
	{"prices --update", "prices --update --dry-run"},
	{"update", "update --dry-run"},
	{"usage", "usage DIR/calls.jsonl --by day"},
	{"cost openai", "cost openai --from 2026-11-01 --to 2026-11-03 --counted 8"},
	{"cost anthropic", "cost anthropic --from 2026-11-01 --to 2026-11-03 --counted 8"},
	{"cost xai", "cost xai --from 2026-11-01 --to 2026-11-03 --counted 8"},
	{"cost --usage", "cost openai --from 2026-11-20 --to 2026-11-22 --usage DIR/priced.jsonl"},
	{"balance", "balance"},
	{"retired", "retired o1-mini claude-sonnet-5-5"},
	{"retired --scan", "retired --scan DIR/o1.py"},
	{"retired --used", "retired --used DIR/used.jsonl"},
	{"scan", "scan DIR/leak.txt"},
	{"demo", "demo DIR/demo"},
	{"version", "version"},
}

// withoutJSON commands print help, a completion, a protocol or another program's output.
// mesh ask prints an answer as mesh read does.
var withoutJSON = []string{"ask", "completion", "budgets", "environment", "exit-status", "help", "mcp", "meter", "profiles", "serve", "usage-flags", "meter-flags", "files"}

func TestJSONOutputIsStable(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t, gatewaytest.WithPeers("node-a"))
	s := discoverytest.New(t)
	newer, err := bundleOf(newerFiles())
	require.NoError(t, err)
	s.SetFacts(newer)
	files := newfacts.Today() // with a price that always ends in the future
	newfacts.Append(files, "prices.csv", "openai,gpt-99,0,1,,,,2,,"+time.Now().UTC().AddDate(0, 1, 0).Format(time.DateOnly)+",page,2026-11-22,,,,")
	used, err := bundleOf(files)
	require.NoError(t, err)
	c, err := client.New("node-b", g.Options()...)
	require.NoError(t, err)
	defer c.Close()
	thread, err := c.OpenThread(t.Context(), "builds")
	require.NoError(t, err)
	_, err = c.Send(t.Context(), client.SendRequest{To: "node-a", Kind: client.KindQuestion, Content: "x", ThreadID: thread.ID, RelatedTaskID: "7"})
	require.NoError(t, err)
	dir := filesForJSON(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "facts"), []byte(used), 0o600))
	place := strings.NewReplacer("DIR", dir, "THREAD", thread.ID)

	types, seen := map[string]string{}, append([]string{"gateway", "providers"}, withoutJSON...)
	for _, run := range jsonRuns {
		words := strings.Fields(run[1])
		seen = append(seen, words[0])
		for i := range words {
			words[i] = place.Replace(words[i])
		}
		cmd := command(t, g, append(words, "-o", "json")...)
		cmd.Env = append(cmd.Env, "MESH_PROVIDERS_URL="+s.URL, "HOME="+dir, "XDG_CACHE_HOME="+dir, "LocalAppData="+dir, "MESH_FACTS="+filepath.Join(dir, "facts"), "DEEPSEEK_API_KEY=x",
			"OPENAI_ADMIN_KEY=x", "ANTHROPIC_ADMIN_KEY=x", "XAI_MANAGEMENT_KEY=x", "XAI_TEAM_ID=x")
		out, _ := cmd.Output() // findings exit with 1
		addTypes(t, types, run[0]+" $", parse(t, run[0], out))
	}
	gateway := startProcess(t, command(t, g, "gateway", "--addr", "127.0.0.1:0", "-o", "json"))
	addTypes(t, types, "gateway $", parse(t, "gateway", []byte(gateway.line())))
	providers := startProcess(t, command(t, g, "providers", "--listen", "127.0.0.1:0", "-o", "json"))
	addTypes(t, types, "providers $", parse(t, "providers", []byte(providers.line())))
	for _, cmd := range newRoot(&app.App{}).Commands() {
		assert.Contains(t, seen, cmd.Name())
	}
	var lines []string
	for path, name := range types {
		lines = append(lines, path+" "+name)
	}
	checkGolden(t, "json_output.txt", lines)
}

// filesForJSON writes the files that jsonRuns name.
func filesForJSON(t *testing.T) string {
	t.Helper()
	// mesh usage shows recent weeks and the month, mesh cost the days in its flags.
	const call = `{"model":"%s","time":"%s","usage":{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1},"requests":{"web_search":1}}` + "\n"
	recent := time.Now().UTC().AddDate(0, 0, -3).Format(time.RFC3339)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"calls.jsonl":  fmt.Sprintf(call+call, "gpt-5.2", recent, "gpt-no-such-model", recent) + "{\n",
		"priced.jsonl": fmt.Sprintf(call, "gpt-5.2", "2026-11-21T12:00:00Z"),
		"o1.py":        `model = "o1-mini"`,
		"used.jsonl":   usedLine(1, "openai", "o1-mini", `"1"`, ""),
		"leak.txt":     "token = sk-ant-" + strings.Repeat("a", 40),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// opaque fields have keys chosen by providers or users. new and old are price rows, which
// mesh prices already covers.
var opaque = []string{"capabilities", "new", "old", "raw", "raw_bucket", "raw_results", "raw_pricing", "requests", "line_item_quantities"}

// addTypes records the JSON types of a value and its members. A type seen elsewhere
// replaces null.
func addTypes(t *testing.T, types map[string]string, path string, value any) {
	t.Helper()
	name := typeName(value)
	if before, ok := types[path]; !ok || before == "null" {
		types[path] = name
	} else if name != "null" {
		assert.Equal(t, before, name, path)
	}
	if _, field, _ := strings.Cut(path, "."); slices.Contains(opaque, field[strings.LastIndex(field, ".")+1:]) {
		return
	}
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			addTypes(t, types, path+"[]", element)
		}
	case map[string]any:
		for key, member := range v {
			addTypes(t, types, path+"."+key, member)
		}
	}
}

func parse(t *testing.T, run string, text []byte) (value any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(text, &value), run)
	return value
}

func typeName(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case []any:
		return "array"
	default:
		return "object"
	}
}

func TestToolsAreStable(t *testing.T) {
	t.Parallel()
	a := newAgent(t, newGatewayForTest(t))
	var lines []string
	for tool, err := range a.Tools(t.Context(), nil) {
		require.NoError(t, err)
		text, err := json.Marshal(tool.InputSchema)
		require.NoError(t, err)
		var schema jsonschema.Schema
		require.NoError(t, json.Unmarshal(text, &schema))
		slices.Sort(schema.Required)
		lines = append(lines, fmt.Sprintf("%s requires %v", tool.Name, schema.Required))
		for name, property := range schema.Properties {
			lines = append(lines, tool.Name+" "+name+" "+property.Type)
		}
	}
	checkGolden(t, "tools.txt", lines)
}

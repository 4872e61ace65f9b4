// Scripts in testdata/script and testdata/terminal run mesh as a user does, one for each
// command or subject.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/internal/test/newfacts"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

const gatewayToken = "example-token-of-the-test-gateway"

// Each script has its own gateway with node-b, and providers that accept any key.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, scripts("testdata/script"))
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	testscript.Run(t, scripts("testdata/terminal"))
}

func scripts(folder string) testscript.Params {
	return testscript.Params{
		Files:               scriptFiles(folder),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Condition: func(name string) (bool, error) {
			if name == "whole" {
				return whole.Tests(), nil
			}
			return false, fmt.Errorf("there is no condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "fields": fields, "capture": capture, "store": store, "register": register, "fail": fail, "heal": heal, "announce": announce, "write": write, "facts": checkFacts,
		},
	}
}

// scriptFiles returns all scripts or, under the race detector, every fourth: almost all
// their commands also run in TestJSONOutputIsStable.
func scriptFiles(folder string) (names []string) {
	all, _ := filepath.Glob(filepath.Join(folder, "*.txtar"))
	for i := 0; i < len(all); i += whole.Cases(1, 4) {
		names = append(names, all[i])
	}
	return names
}

// Keys in testscript.Env.Values.
type (
	gatewayKey   struct{}
	providersKey struct{}
)

func setup(env *testscript.Env) error {
	g := gatewaytest.Start(gatewaytest.WithToken(gatewayToken), gatewaytest.WithPeers("node-b"))
	env.Defer(g.Close)
	s := discoverytest.Start()
	env.Defer(s.Close)
	env.Values[gatewayKey{}], env.Values[providersKey{}] = g, s
	env.Setenv("MESH_NODE", "node-a")
	env.Setenv("MESH_GATEWAY_URL", g.URL)
	env.Setenv("GATEWAY_ROOT", strings.TrimSuffix(g.URL, "/gateway"))
	env.Setenv("GATEWAY_TLS", strings.Replace(g.URL, "http:", "https:", 1))
	env.Setenv("MESH_GATEWAY_TOKEN", gatewayToken)
	env.Setenv("TOKEN", gatewayToken)
	env.Setenv("GORACE", os.Getenv("GORACE"))
	env.Setenv("GOGC", os.Getenv("GOGC"))
	env.Setenv("MESH_PROVIDERS_URL", s.URL)
	env.Setenv("MESH_FACTS", os.Getenv("MESH_FACTS"))
	setFolders(env)
	env.Setenv("NL", "\n")
	env.Setenv("TRICK", "\x1b[31mred\u202e\u009b\nx")
	// Put together at run time: the repository must not contain anything that looks like
	// a key.
	env.Setenv("KEY", "sk-ant-"+strings.Repeat("a", 40))
	env.Setenv("KEY_NAME", "sk-"+strings.Repeat("a", 40)) // also a valid node name
	env.Setenv("AWS_LIKE", strings.Repeat("Ab3/", 10))
	return nil
}

// setFolders sets the variables that locate the user's directories, and CACHE and CONFIG
// to two such directories.
func setFolders(env *testscript.Env) {
	env.Setenv("HOME", env.WorkDir)
	cache := filepath.Join(env.WorkDir, "cache")
	if runtime.GOOS == "darwin" {
		cache = filepath.Join(env.WorkDir, "Library", "Caches")
	}
	env.Setenv("XDG_CACHE_HOME", cache)
	env.Setenv("LocalAppData", cache)
	env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, "data"))
	env.Setenv("CACHE", cache)
	config := filepath.Join(env.WorkDir, ".config")
	if runtime.GOOS == "darwin" {
		config = filepath.Join(env.WorkDir, "Library", "Application Support")
	}
	env.Setenv("XDG_CONFIG_HOME", config)
	env.Setenv("AppData", config)
	env.Setenv("CONFIG", config)
}

// status runs a command and checks its exit status: status 2 mesh send.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
	for _, stream := range []string{"stdout", "stderr"} {
		if text := ts.ReadFile(stream); strings.Contains(text, gatewayToken) || strings.Contains(text, "panic") || strings.Contains(text, "goroutine ") {
			ts.Fatalf("%s has a token or a panic", stream)
		}
	}
}

// fields checks the member names in stdout's JSON object, or in the first object if it's
// a list: fields id content. To take the names from json_output.txt: fields like inbox.
func fields(ts *testscript.TestScript, _ bool, want []string) {
	if len(want) == 2 && want[0] == "like" {
		want = goldenFields(ts, want[1])
	}
	if got := slices.Sorted(maps.Keys(object(ts))); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		ts.Fatalf("the fields are %q, want %q; add a new field to this line, or run go test ./cmd/mesh -run Stable -update", got, want)
	}
}

// testdataDir is absolute because a script runs in its own directory.
var testdataDir, _ = filepath.Abs("testdata")

func goldenFields(ts *testscript.TestScript, run string) (names []string) {
	text, err := os.ReadFile(filepath.Join(testdataDir, "json_output.txt"))
	ts.Check(err)
	for _, field := range regexp.MustCompile(`(?m)^`+run+` \$(?:\[\])?\.(\w+) `).FindAllStringSubmatch(string(text), -1) {
		names = append(names, field[1])
	}
	return names
}

// capture sets a variable to a string in stdout's JSON: capture VARIABLE FIELD.
func capture(ts *testscript.TestScript, _ bool, args []string) {
	var text string
	ts.Check(json.Unmarshal(object(ts)[args[1]], &text))
	ts.Setenv(args[0], text)
}

// object returns stdout's JSON object, or the first in its list.
func object(ts *testscript.TestScript) map[string]json.RawMessage {
	text := []byte(ts.ReadFile("stdout"))
	if bytes.HasPrefix(text, []byte("[")) {
		var list []json.RawMessage
		ts.Check(json.Unmarshal(text, &list))
		if len(list) == 0 {
			ts.Fatalf("the list is empty")
		}
		text = list[0]
	}
	var fields map[string]json.RawMessage
	ts.Check(json.Unmarshal(text, &fields))
	return fields
}

// store adds a message to node-a's inbox: store FROM KIND TEXT.
func store(ts *testscript.TestScript, _ bool, args []string) {
	ts.Value(gatewayKey{}).(*gatewaytest.Gateway).Store(args[0], "node-a", args[1], args[2])
}

// register registers a node under any name: register NAME.
func register(ts *testscript.TestScript, _ bool, args []string) {
	c, err := client.New(args[0], append(ts.Value(gatewayKey{}).(*gatewaytest.Gateway).Options(), client.WithLogger(slog.New(slog.DiscardHandler)))...)
	ts.Check(err)
	defer c.Close()
	_, err = c.Register(context.Background(), client.RegisterRequest{URL: "http://x"})
	ts.Check(err)
}

// write writes a file: write FILE TEXT.
func write(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o700))
	ts.Check(os.WriteFile(name, []byte(args[1]+"\n"), 0o600))
}

// fail makes every request for an operation fail: fail OPERATION STATUS. Providers'
// operations have a dot in their names.
func fail(ts *testscript.TestScript, _ bool, args []string) {
	code, err := strconv.Atoi(args[1])
	ts.Check(err)
	if strings.Contains(args[0], ".") {
		fault := discoverytest.Fault{Status: code, Times: -1}
		ts.Value(providersKey{}).(*discoverytest.Server).Fail(discoverytest.Operation(args[0]), fault)
		return
	}
	fault := gatewaytest.Fault{Status: code, Times: -1}
	ts.Value(gatewayKey{}).(*gatewaytest.Gateway).Fail(gatewaytest.Operation(args[0]), fault)
}

// newerFiles are the files for "facts newer".
func newerFiles() fstest.MapFS {
	files := newfacts.Tomorrow()
	newfacts.Replace(files, "prices.csv", "openai,gpt-4.1,0,2,0.5,,,8,", "openai,gpt-4.1,0,1,0.25,,,4,")
	newfacts.Append(files, "prices.csv", "anthropic,claude-opus-6,0,6,,,,30,,,page,2026-11-22,,,,")
	return files
}

func bundleOf(files fstest.MapFS) (string, error) {
	f, err := facts.ReadFS(files)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	_, err = f.WriteTo(&text)
	return text.String(), err
}

// checkFacts sets the project's facts: newer has another gpt-4.1 price and more, old an
// older version, cut lacks some prices, and damaged has a wrong cell. A second argument
// names a directory to write them to instead.
func checkFacts(ts *testscript.TestScript, _ bool, args []string) {
	files := newerFiles()
	switch args[0] {
	case "newer":
	case "old":
		files["VERSION"].Data = []byte("2026-01-01.1")
	case "cut":
		text, _, _ := strings.Cut(string(files["prices.csv"].Data), "\ngemini,")
		files["prices.csv"].Data = []byte(text + "\n")
		files["confirmed.csv"].Data = []byte("provider,model_id,above,valid_from,mode,modality,confirmed_at\n")
	case "damaged":
		newfacts.Append(files, "factors.csv", "openai,batch,half,*,yes,yes,,,page")
	default:
		ts.Fatalf("no facts %s", args[0])
	}
	if len(args) == 2 {
		for name, file := range files {
			write(ts, false, []string{args[1] + "/" + name, strings.TrimSuffix(string(file.Data), "\n")})
		}
		return
	}
	text, err := bundleOf(files)
	ts.Check(err)
	ts.Value(providersKey{}).(*discoverytest.Server).SetFacts(text)
}

// heal ends the gateway's failures.
func heal(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Value(gatewayKey{}).(*gatewaytest.Gateway).Heal()
}

// announce makes OpenAI's next model list announce a shutdown in some days: announce
// MODEL DAYS.
func announce(ts *testscript.TestScript, _ bool, args []string) {
	days, err := strconv.Atoi(args[1])
	ts.Check(err)
	date := time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly)
	ts.Value(providersKey{}).(*discoverytest.Server).Fail(discoverytest.ListOpenAIModels, discoverytest.Fault{
		Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: fmt.Sprintf(`{"object":"list","data":[{"id":%q,"shutdown_date":%q}]}`, args[0], date),
	})
}

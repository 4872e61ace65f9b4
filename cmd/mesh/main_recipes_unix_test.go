// Runs the recipes in docs/command.md.

//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// kitchen is where a recipe runs: a home directory, and a gateway with three nodes.
type kitchen struct {
	t      *testing.T
	g      *gatewaytest.Gateway
	folder string
	env    []string
	thread string // a thread's id, for examples
}

func newKitchen(t *testing.T) *kitchen {
	t.Helper()
	k := &kitchen{t: t, g: newGatewayForTest(t, gatewaytest.WithPeers("node-a", "node-c")), folder: t.TempDir()}
	own := slices.DeleteFunc(command(t, k.g).Env, func(variable string) bool { return strings.HasPrefix(variable, "GIT_") }) // git sets these in a hook
	k.env = append(own, newProviders(t), "HOME="+k.folder, "XDG_CACHE_HOME="+k.folder, "XDG_CONFIG_HOME="+k.folder,
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "OPENAI_ADMIN_KEY=example")
	return k
}

// recipes returns the code blocks under "Recipes" in docs/command.md.
func recipes(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../../docs/command.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## Recipes\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	return regexp.MustCompile(`(?m)(^    .*\n)+`).FindAllString(section, -1)
}

func TestRecipes(t *testing.T) {
	t.Parallel()
	blocks := recipes(t)
	tests := []struct {
		name string
		run  func(*kitchen, string)
	}{
		{"inbox", readsQuestions}, {"broadcast", tellsAll}, {"cron", sendsAReport}, {"bot", answersQuestions}, {"bill", comparesABill}, {"ci", failsTheStep},
	}
	require.Len(t, blocks, len(tests))
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(newKitchen(t), blocks[i])
		})
	}
}

// write writes an executable file.
func (k *kitchen) write(name, text string) {
	k.t.Helper()
	require.NoError(k.t, os.WriteFile(filepath.Join(k.folder, name), []byte(text), 0o700))
}

// shell returns a command that runs text in the home directory. Without jq, text that
// uses it is only checked for syntax.
func (k *kitchen) shell(text string) (cmd *exec.Cmd, complete bool) {
	k.t.Helper()
	flag := "-ec"
	if _, err := exec.LookPath("jq"); err != nil && strings.Contains(text, "jq ") {
		k.t.Log("jq is not installed: only the syntax is checked")
		flag = "-nc"
	}
	cmd = exec.CommandContext(k.t.Context(), "sh", flag, text)
	cmd.Dir, cmd.Env = k.folder, k.env
	return cmd, flag == "-ec"
}

// run runs text, which must succeed. It reports false if only the syntax was checked.
func (k *kitchen) run(text string) (stdout string, complete bool) {
	k.t.Helper()
	cmd, complete := k.shell(text)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(k.t, err, "%s", &errs)
	return string(out), complete
}

// fails runs text, which must fail.
func (k *kitchen) fails(text string) (output string) {
	k.t.Helper()
	cmd, _ := k.shell(text)
	out, err := cmd.CombinedOutput()
	require.Error(k.t, err, "%s", out)
	return string(out)
}

// inbox returns a node's message contents, newest first.
func (k *kitchen) inbox(node string) (contents []string) {
	k.t.Helper()
	c, err := client.New(node, k.g.Options()...)
	require.NoError(k.t, err)
	defer c.Close()
	messages, err := c.Fetch(k.t.Context(), client.FetchOptions{})
	require.NoError(k.t, err)
	for _, m := range messages {
		contents = append(contents, m.GetContent())
	}
	return contents
}

func readsQuestions(k *kitchen, text string) {
	k.g.Store("node-b", "node-a", "fyi", "not this one")
	k.g.Store("node-b", "node-a", "question", "green\x1b[2J?")
	if out, complete := k.run(text); complete {
		assert.Equal(k.t, `{"id":2,"from_node":"node-b","content":"green\u001b[2J?"}`+"\n", out)
	}
}

func tellsAll(k *kitchen, text string) {
	if _, complete := k.run(text); complete {
		assert.Equal(k.t, []string{"The build is green."}, k.inbox("node-b"))
		assert.Equal(k.t, []string{"The build is green."}, k.inbox("node-c"))
		assert.Empty(k.t, k.inbox("node-a"))
	}
}

// sendsAReport runs a line as cron does: with \% replaced by %, and without mesh's
// variables.
func sendsAReport(k *kitchen, text string) {
	fields := strings.SplitN(strings.TrimSpace(text), " ", 6)
	require.Len(k.t, fields, 6)
	require.NotRegexp(k.t, `[^\\]%`, fields[5], "cron ends a command at a %")
	configured := "mesh" // in XDG_CONFIG_HOME; macOS has its own directory
	if runtime.GOOS == "darwin" {
		configured = "Library/Application Support/mesh"
	}
	require.NoError(k.t, os.MkdirAll(filepath.Join(k.folder, configured), 0o700))
	k.write(configured+"/token", gatewayToken)
	k.write(configured+"/profiles.json", `{"profiles": {"work": {"node": "node-a", "gateway_url": "`+k.g.URL+`", "token_file": "token"}}}`)
	k.write("report.txt", "all is well\n")
	k.env = append(k.env, "MESH_NODE=", "MESH_GATEWAY_URL=", "MESH_GATEWAY_TOKEN=")
	for range 2 {
		k.run(strings.ReplaceAll(fields[5], `\%`, "%"))
	}
	assert.Equal(k.t, []string{"all is well"}, k.inbox("node-b"))
}

func answersQuestions(k *kitchen, text string) {
	k.write("answer.sh", "#!/bin/sh\ncat > question\necho \"$MESH_FROM asked\"\n")
	k.g.Store("node-b", "node-a", "question", "green?")
	cmd, _ := k.shell("exec " + strings.TrimSpace(text))
	startProcess(k.t, cmd)
	assert.Equal(k.t, "node-b asked", answer(k.t, k.g))
	question, err := os.ReadFile(filepath.Join(k.folder, "question"))
	require.NoError(k.t, err)
	assert.Contains(k.t, string(question), `"content":"green?"`)
}

// The 1,000 counted output tokens cost far less than the day's bill.
func comparesABill(k *kitchen, text string) {
	k.write("calls.jsonl", `{"provider":"openai","model":"gpt-5.2","time":"2026-11-20T07:54:15Z","usage":{"input_tokens":0,"output_tokens":1000,"total_tokens":1000}}`+"\n")
	assert.Contains(k.t, k.fails(text), "more than the limit of 2 %")
	assert.FileExists(k.t, filepath.Join(k.folder, "drift.html"))
}

func failsTheStep(k *kitchen, text string) {
	k.run("git init -q .")
	require.NoError(k.t, os.Mkdir(filepath.Join(k.folder, "src"), 0o700))
	k.write("src/agent.py", "model = 'claude-sonnet-5-5'\n")
	k.run("git add src")
	k.run(text)
	k.write("src/agent.py", "model = 'o1-mini'\n")
	assert.Contains(k.t, k.fails(text), "2025-10-27")
	k.write("src/agent.py", "model = 'claude-sonnet-5-5'\n")
	k.write("key.txt", "sk-"+"proj-"+strings.Repeat("a1B2", 6)+"\n")
	k.run("git add key.txt")
	assert.Contains(k.t, k.fails(text), "key.txt")
}

// TestRetirementCheck runs the last step in examples/retirement-check.
func TestRetirementCheck(t *testing.T) {
	t.Parallel()
	workflow, err := os.ReadFile("../../examples/retirement-check/retirement-check.yml")
	require.NoError(t, err)
	step := regexp.MustCompile(`(?m)- run: (mesh .*)$`).FindStringSubmatch(string(workflow))
	require.NotNil(t, step)
	k := newKitchen(t)
	k.write("agent.py", "model = 'claude-sonnet-5-5'\n")
	k.run(step[1])
	k.write("agent.py", "model = 'o1-mini'\n")
	assert.Contains(t, k.fails(step[1]), "::error file=agent.py,line=1,title=retired model::o1-mini retired ")
}

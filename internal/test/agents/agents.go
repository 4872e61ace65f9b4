package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// agents lists the agents in a node_modules directory. Gemini CLI runs on each node
// version; the others are self-contained.
func agents(folder string, nodes []string) []program {
	bin := func(name string) string { return filepath.Join(folder, ".bin", name) }
	const task = "Reply with one word."
	list := []program{
		{name: "Claude Code", version: installed(folder, "@anthropic-ai/claude-code"), command: []string{bin("claude"), "-p", task}},
		{name: "Codex", version: installed(folder, "@openai/codex"), command: []string{bin("codex"), "exec", "--skip-git-repo-check", task}},
		{name: "opencode", version: installed(folder, "opencode-ai"), command: []string{bin("opencode"), "run", "-m", "anthropic/claude-sonnet-4-5", task}},
	}
	if bun := bin("bun"); installed(folder, "bun") != "" {
		list = append(list, program{name: "Bun, fetch", version: installed(folder, "bun"), command: []string{bun, filepath.Join(*npm, "programs", "bun.js")}})
	}
	for _, node := range nodes {
		script, _ := filepath.EvalSymlinks(bin("gemini"))
		list = append(list, program{
			name: "Gemini CLI, Node " + strings.TrimPrefix(version(node, "--version"), "v"), version: installed(folder, "@google/gemini-cli"),
			command: []string{node, script, "--skip-trust", "-p", task},
		})
	}
	return list
}

// packageOf returns the npm package that a script calls. The script's first line names
// it.
func packageOf(script string) (string, error) {
	text, err := os.ReadFile(script)
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return strings.TrimPrefix(string(line), "// "), err
}

func installed(folder, name string) string {
	first, _, _ := strings.Cut(name, " ")
	text, _ := os.ReadFile(filepath.Join(folder, first, "package.json"))
	var p struct{ Version string }
	_ = json.Unmarshal(text, &p)
	return p.Version
}

// version returns the second word that a program prints, or the only one.
func version(program string, args ...string) string {
	text, _ := exec.Command(program, args...).Output()
	words := strings.Fields(string(text))
	if len(words) == 0 {
		return ""
	}
	return words[min(1, len(words)-1)]
}

// call is the table's Go program.
func call(url string) error {
	res, err := http.Post(url, "application/json", strings.NewReader(`{"model":"grok-4","messages":[]}`))
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// direct returns installed programs that use no proxy. Their last argument is the URL of
// a local server, which --host names.
func direct(programs string) (list []program) {
	for _, p := range []program{
		{name: "Python, aiohttp without trust_env", command: []string{"python3", filepath.Join(programs, "direct_aiohttp.py")}},
		{name: "Python, http.client", command: []string{"python3", filepath.Join(programs, "direct_http.py")}},
		{name: "Java, HttpClient", command: []string{"java", filepath.Join(programs, "Direct.java")}},
		{name: "curl in an empty environment", command: []string{"env", "-i", "curl", "-sS", "-o", "/dev/null", "-d", `{"model":"grok-4"}`}},
	} {
		if strings.Contains(p.name, "aiohttp") && exec.Command("python3", "-c", "import aiohttp").Run() != nil {
			continue
		}
		if _, err := exec.LookPath(p.command[0]); err != nil {
			continue
		}
		p.version, p.direct = version(p.command[0], "--version"), true
		if p.command[0] == "env" {
			p.version = version("curl", "--version")
		}
		list = append(list, p)
	}
	return list
}

// lead returns the flags and command for a run.
func (p program) lead(server *httptest.Server, flags []string) (allFlags, command []string) {
	if !p.direct {
		return flags, p.command
	}
	host := strings.TrimPrefix(server.URL, "http://")
	return append([]string{"--host", host + "=openai"}, flags...), append(p.command, server.URL+"/v1/chat/completions")
}

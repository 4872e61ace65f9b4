package main

import (
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
)

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

package demo

import (
	"os"
	"strings"
)

// agent answers each question with the text of a fake model.
const agent = `#!/bin/sh
# A program for mesh serve: it reads a question on stdin, asks a model and prints the answer. A refused call, as one beyond a budget
# with its status 402, is no answer: the program fails, and mesh serve tries again.
cat > /dev/null
response=$(curl -sS --fail-with-body "$OPENAI_BASE_URL/chat/completions" -H "Authorization: Bearer $OPENAI_API_KEY" \
  -H "Content-Type: application/json" -d '{"model":"gpt-5.2","messages":[{"role":"user","content":"Is the build green?"}]}') || {
  printf '%s\n' "$response" >&2
  exit 1
}
printf '%s\n' "$response" | sed 's/.*"content":"\([^"]*\)".*/\1/'
`

const steps = `Each step by hand, in this folder.

A gateway and fake providers, each in a shell of its own:

  mesh gateway --token example-development-token
  mesh providers

A third shell, with the lines that mesh providers printed, for node-b, which answers with a metered program:

  export MESH_GATEWAY_URL=http://127.0.0.1:8787/gateway MESH_GATEWAY_TOKEN=example-development-token
  mesh serve --node node-b -- mesh meter --log calls -- sh agent.sh

A fourth shell, with the line of MESH_GATEWAY_URL, for node-a:

  mesh register --node node-a
  mesh ask --node node-a --thread build node-b "Is the build green?"

What the calls cost, by model and by team:

  mesh usage calls --last 28d
  mesh usage calls --by label:team

The bill beside the calls. It differs by more than 2 %, so the exit status is 1:

  mesh cost openai --bill bill.json --usage calls

A page of the bill and the calls, and the report of the calls alone:

  mesh cost openai --bill bill.json --usage calls --html bill.html
  mesh usage calls --html report.html
`

// commands writes and prints how to repeat the story by hand.
func (s *story) commands() error {
	for name, text := range map[string]string{agentFile: agent, commandsFile: steps} {
		if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	s.section("By hand (" + s.path(commandsFile) + ")")
	for line := range strings.Lines(steps) {
		if text := strings.TrimSuffix(line, "\n"); text != "" {
			s.line("%s", text)
		}
	}
	return nil
}

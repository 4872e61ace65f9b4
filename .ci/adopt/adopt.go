package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"gopkg.in/yaml.v3"
)

// insert adds a change after its node's last child and leaves the text around it alone.
// It returns the new text, the inserted lines and the line number before them.
func insert(text string, c change) (whole, yamlLines string, after int, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return "", "", 0, err
	}
	node := doc.Content[0]
	for _, step := range c.path {
		i := slices.IndexFunc(node.Content, func(n *yaml.Node) bool { return n.Value == step })
		if i < 0 || i%2 != 0 {
			return "", "", 0, errors.New("no place for it")
		}
		node = node.Content[i+1]
	}
	if node.Style == yaml.FlowStyle || len(node.Content) == 0 {
		return "", "", 0, fmt.Errorf("line %d: write the list over several lines first", node.Line)
	}
	column := node.Content[0].Column - 1
	if node.Kind == yaml.SequenceNode {
		column = node.Column - 1
	}
	lines := strings.SplitAfter(text, "\n")
	end := node.Line
	for end < len(lines) && (strings.TrimSpace(lines[end]) == "" || len(lines[end])-len(strings.TrimLeft(lines[end], " ")) >= column) {
		end++
	}
	for strings.TrimSpace(lines[end-1]) == "" {
		end--
	}
	yamlLines = indent(c.yaml, strings.Repeat(" ", column))
	return strings.Join(lines[:end], "") + yamlLines + strings.Join(lines[end:], ""), yamlLines, end, nil
}

const changelog = "CHANGELOG.md"

// adopt writes our document, what follows from it and the line of the changelog. If a
// step fails, it restores all files.
func adopt(text string, added []change) (err error) {
	golden, _ := filepath.Glob("cmd/mesh/testdata/*.txt")
	files := append([]string{ours, changelog, "gen/gateway/gateway.gen.go", "api/client.txt"}, golden...)
	before := map[string][]byte{}
	for _, file := range files {
		if before[file], err = os.ReadFile(file); err != nil {
			return err
		}
	}
	defer func() {
		for file, text := range before {
			if err != nil {
				err = errors.Join(err, os.WriteFile(file, text, 0o644)) //nolint:gosec // files of the repository
			}
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) // ends the step, so the files are restored
	defer stop()
	if err := os.WriteFile(ours, []byte(text), 0o644); err != nil { //nolint:gosec // a file of the repository
		return err
	}
	list, err := withLine(string(before[changelog]), added)
	if err != nil {
		return err
	}
	if err := os.WriteFile(changelog, []byte(list), 0o644); err != nil { //nolint:gosec // a file of the repository
		return err
	}
	for _, command := range []string{
		"go run ./internal/generate -config specs/codegen.yaml -package gateway -o gen/gateway/gateway.gen.go specs/gateway.yaml",
		"go build ./... ./cmd/mesh/...",
		"go test -count=1 ./cmd/mesh -run Stable -update",
		"go test -count=1 . -run TestAPI -update",
	} {
		words := strings.Fields(command)
		if output, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput(); err != nil { //nolint:gosec // constants
			return fmt.Errorf("%s: %w\n%s", command, err, output)
		}
	}
	fmt.Printf("adopted %d response members\n", len(added))
	return nil
}

// withLine adds a line about the new members to the first list under "Unreleased".
func withLine(text string, added []change) (string, error) {
	_, rest, ok := strings.Cut(text, "\n## [Unreleased]\n")
	begin := strings.Index(rest, "\n- ")
	if !ok || begin < 0 {
		return "", errors.New(changelog + " has no list in Unreleased")
	}
	end := len(text) - len(rest) + begin + strings.Index(rest[begin:]+"\n\n", "\n\n") + 1
	var names []string
	for _, c := range added {
		names = append(names, fmt.Sprintf("`%s.%s`", c.path[2], c.name))
	}
	line := "- `gen/gateway`: " + strings.Join(names, ", ") + " have fields, and are no longer in `AdditionalProperties`.\n"
	return text[:end] + line + text[end:], nil
}

package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
)

// everyCommand returns the root, all commands and the help topics.
func everyCommand(t *testing.T) (all []*cobra.Command) {
	t.Helper()
	root := newRoot(&app.App{})
	root.SetOut(io.Discard)
	checkShell(root)
	all = []*cobra.Command{root}
	for i := 0; i < len(all); i++ {
		all[i].InitDefaultHelpFlag()
		all = append(all, all[i].Commands()...)
	}
	require.Greater(t, len(all), 30)
	return all
}

func TestHelpFitsIntoTheTerminal(t *testing.T) {
	t.Parallel()
	for _, cmd := range everyCommand(t) {
		for _, width := range []int{80, 100, 132} {
			for line := range strings.Lines(helpText(cmd, width)) {
				if !strings.Contains(cmd.Example, strings.TrimSuffix(line, "\n")) || width == 80 { // examples aren't wrapped
					assert.LessOrEqual(t, len(line)-1, width, "%s: %s", cmd.CommandPath(), line)
				}
			}
		}
	}
}

func TestHelpHasFlagsBeforeTheExplanation(t *testing.T) {
	t.Parallel()
	for _, cmd := range everyCommand(t) {
		text := helpText(cmd, helpWidth)
		if cmd.Long == "" || cmd.IsAdditionalHelpTopicCommand() {
			continue
		}
		words := strings.Fields(cmd.Long)
		assert.Greater(t, strings.LastIndex(text, strings.Join(words[:3], " ")), strings.Index(text, "\nFlags:\n"), cmd.CommandPath())
		assert.Equal(t, words, strings.Fields(text[strings.LastIndex(text, strings.Join(words[:3], " ")):])[:len(words)], cmd.CommandPath())
		assert.True(t, strings.HasPrefix(text, cmd.Short[:10]), cmd.CommandPath())
		assert.NotContains(t, text, "\n\n\n", cmd.CommandPath())
	}
}

// Unused global flags aren't listed, but every command accepts them.
func TestHelpListsTheGlobalFlagsThatAreUsed(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"scan": "format token-file", "usage": "format wide", "send": "format gateway-url node profile token-file", "mcp": "gateway-url node profile token-file",
		"peers": "format gateway-url profile token-file wide", "gateway": "format token-file", "completion zsh": "", "help": "", "version": "format",
	} {
		for _, cmd := range everyCommand(t) {
			if cmd.CommandPath() != "mesh "+line {
				continue
			}
			text := helpText(cmd, helpWidth)
			var listed []string
			for _, name := range []string{"format", "gateway-url", "node", "profile", "token-file", "wide"} {
				if strings.Contains(text, "--"+name+" ") && strings.Contains(text, "\n      --"+name+" ") || strings.Contains(text, "\n  -o, --"+name+" ") {
					listed = append(listed, name)
				}
				assert.NotNil(t, cmd.Flag(name), "%s --%s", line, name)
			}
			slices.Sort(listed)
			assert.Equal(t, want, strings.Join(listed, " "), line)
		}
	}
}

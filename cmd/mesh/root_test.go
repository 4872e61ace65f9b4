package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
)

// TestEachCommandHasHelp checks that each help text has an example that begins with the command.
func TestEachCommandHasHelp(t *testing.T) {
	t.Parallel()
	commands := newRoot(&app{}).Commands()
	assert.Greater(t, len(commands), 20)
	for _, cmd := range commands {
		if cmd.Name() == "help" || cmd.IsAdditionalHelpTopicCommand() {
			continue
		}
		assert.NotEmpty(t, cmd.Short, cmd.Name())
		assert.Contains(t, cmd.Example, "mesh "+cmd.Name(), cmd.Name())
		for line := range strings.Lines(cmd.Example) {
			assert.True(t, strings.HasPrefix(line, "  "), "%s: %q", cmd.Name(), line)
		}
		assert.NotNil(t, cmd.Args, cmd.Name())
		assert.False(t, takesNames(cmd) && cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil, "%s completes file names", cmd.Name())
	}
}

// takesNames reports whether the arguments of a command are not files.
func takesNames(cmd *cobra.Command) bool {
	_, arguments, _ := strings.Cut(cmd.Use, " ")
	return arguments != "" && !strings.Contains(arguments, "FILE") && !strings.Contains(arguments, "COMMAND")
}

package main

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

func TestEachCommandHasHelp(t *testing.T) {
	t.Parallel()
	commands := newRoot(&app.App{}).Commands()
	assert.Greater(t, len(commands), 20)
	for _, cmd := range commands {
		if cmd.Name() == "help" || cmd.IsAdditionalHelpTopicCommand() {
			continue
		}
		assert.NotEmpty(t, cmd.Short, cmd.Name())
		assert.GreaterOrEqual(t, strings.Count(cmd.Example, "mesh "+cmd.Name()), 2, cmd.Name())
		for line := range strings.Lines(cmd.Example) {
			assert.True(t, strings.HasPrefix(line, "  "), "%s: %q", cmd.Name(), line)
		}
		assert.NotNil(t, cmd.Args, cmd.Name())
		assert.False(t, takesNames(cmd) && cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil, "%s completes file names", cmd.Name())
	}
}

// mesh help environment must have every variable that other help names.
func TestHelpEnvironmentHasTheVariables(t *testing.T) {
	t.Parallel()
	root := newRoot(&app.App{})
	topic, _, err := root.Find([]string{"environment"})
	require.NoError(t, err)
	texts := []string{"DEEPSEEK_LEGACY_ENV_PATH"}
	for _, cmd := range root.Commands() {
		texts = append(texts, cmd.Long, cmd.Example, cmd.LocalFlags().FlagUsages())
	}
	for _, name := range regexp.MustCompile(`\b[A-Z]+(_[A-Z0-9]+)+\b`).FindAllString(strings.Join(texts, "\n"), -1) {
		assert.Contains(t, topic.Long, name)
	}
}

// Each command gets wrong arguments, an unknown flag and a wrong value for each flag.
func TestEveryCommandRefusesWrongUse(t *testing.T) {
	t.Parallel()
	root := newRoot(&app.App{})
	root.InitDefaultCompletionCmd()
	commands := root.Commands()
	for _, cmd := range commands {
		commands = append(commands, cmd.Commands()...)
	}
	for _, cmd := range commands {
		if cmd.IsAdditionalHelpTopicCommand() || cmd.Name() == "help" {
			continue
		}
		line := strings.Fields(cmd.CommandPath())[1:]
		wrong := [][]string{{"--bogus"}, {"-Z"}, {"--node"}}
		var right []string // as many arguments as the command takes
		for range 4 {
			if cmd.ValidateArgs(right) == nil {
				break
			}
			wrong, right = append(wrong, right), append(right, "x")
		}
		for _, flag := range []string{"--wide=maybe", "--format=yaml", "--profile=no-such-profile", "--token-file="} {
			wrong = append(wrong, append([]string{flag}, right...))
		}
		if many := slices.Repeat([]string{"x"}, 9); cmd.ValidateArgs(many) != nil {
			wrong = append(wrong, many)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if value, ok := wrongValue(f); ok {
				wrong = append(wrong, append([]string{"--" + f.Name + "=" + value}, right...))
			}
		})
		for _, args := range wrong {
			var out, errs bytes.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), processTime) // a command that isn't refused can run forever
			status := run(ctx, &app.App{In: strings.NewReader(""), Out: &out, Errs: &errs}, append(slices.Clone(line), args...))
			cancel()
			assert.Equal(t, exit.Usage, status, "%s %q: %s", cmd.CommandPath(), args, &errs)
			assert.Regexp(t, `^mesh: .+\nmesh: see mesh .*--help\n$`, errs.String(), "%s %q", cmd.CommandPath(), args)
			assert.Empty(t, out.String(), "%s %q", cmd.CommandPath(), args)
		}
	}
}

// wrongValue returns a value that a flag rejects. Lists of strings are checked by their
// command.
func wrongValue(f *pflag.Flag) (value string, ok bool) {
	switch f.Value.Type() {
	case "string":
		return "", true
	case "stringSlice", "stringArray":
		return "", false
	default:
		return "maybe", true
	}
}

// takesNames reports whether a command's arguments aren't files.
func takesNames(cmd *cobra.Command) bool {
	_, arguments, _ := strings.Cut(cmd.Use, " ")
	return arguments != "" && !strings.Contains(arguments, "FILE") && !strings.Contains(arguments, "COMMAND")
}

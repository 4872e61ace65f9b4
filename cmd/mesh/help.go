package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

// helpWidth is the width of a help text that is not for a terminal.
const helpWidth = 80

// printHelp prints the help of a command, which fits into the terminal.
func printHelp(cmd *cobra.Command, _ []string) {
	width := cmp.Or(output.Width(cmd.OutOrStdout()), helpWidth)
	_, _ = io.WriteString(cmd.OutOrStdout(), helpText(cmd, width)) // as for any help, an output that is closed is no error
}

// helpText returns the help of a command: the flags and examples before the explanation.
func helpText(cmd *cobra.Command, width int) string {
	var b strings.Builder
	section := func(title, text string) {
		if strings.TrimSpace(text) != "" {
			b.WriteString("\n" + title + strings.TrimRight(text, "\n") + "\n")
		}
	}
	b.WriteString(wrap(cmd.Short, "", 0, width))
	if !cmd.IsAdditionalHelpTopicCommand() {
		section("Usage:\n", wrap(usageLine(cmd), "  ", 6, width))
		section("Examples:\n", cmd.Example)
		for _, group := range cmd.Groups() {
			section(group.Title+"\n", commandList(cmd, width, func(sub *cobra.Command) bool { return sub.GroupID == group.ID }))
		}
		section("Available Commands:\n", commandList(cmd, width, func(sub *cobra.Command) bool { return sub.GroupID == "" && sub.IsAvailableCommand() }))
		section("Additional help topics:\n", commandList(cmd, width, (*cobra.Command).IsAdditionalHelpTopicCommand))
		own, global := flagsOf(cmd)
		section("Flags:\n", own.FlagUsagesWrapped(width))
		section("Global Flags:\n", global.FlagUsagesWrapped(width))
	}
	section("", prose(cmd.Long, width))
	if cmd.HasAvailableSubCommands() {
		section("", wrap(cmd.CommandPath()+" COMMAND --help has the flags and examples of a command.", "", 0, width))
	}
	return b.String()
}

func usageLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " COMMAND [flags]"
	}
	return cmd.UseLine()
}

// commandList returns a line or more for each subcommand that show accepts.
func commandList(cmd *cobra.Command, width int, show func(*cobra.Command) bool) string {
	var b strings.Builder
	for _, sub := range cmd.Commands() {
		if show(sub) {
			name := fmt.Sprintf("  %-*s", sub.NamePadding()+2, sub.Name())
			b.WriteString(wrap(sub.Short, name, len(name), width))
		}
	}
	return b.String()
}

// flagsOf returns the flags of a command and the global ones that it uses.
func flagsOf(cmd *cobra.Command) (own, global *pflag.FlagSet) {
	own, global = new(pflag.FlagSet), new(pflag.FlagSet)
	cmd.InheritedFlags() // adds the global flags to those of the command
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if cmd.HasParent() && cmd.Root().PersistentFlags().Lookup(f.Name) != nil {
			global.AddFlag(f)
		} else {
			own.AddFlag(f)
		}
	})
	return own, global
}

// indented is the beginning of a line that is no paragraph: its blanks, and the name of an entry of a list, which two blanks end.
var indented = regexp.MustCompile(`^ +(\S+( \S+)* {2,})?`)

// prose returns paragraphs in lines of at most width columns. A line that begins with blanks stays a line.
func prose(text string, width int) string {
	var b, paragraph strings.Builder
	end := func() {
		if paragraph.Len() > 0 {
			b.WriteString(wrap(paragraph.String(), "", 0, width))
			paragraph.Reset()
		}
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\t", "    "), "\n") {
		if line != "" && line[0] != ' ' {
			paragraph.WriteString(line + "\n")
			continue
		}
		end()
		first := indented.FindString(line)
		b.WriteString(wrap(line[len(first):], first, len(first), width))
	}
	end()
	return b.String()
}

// wrap returns words in lines of at most width columns, the first behind a text and each other one behind indent blanks.
func wrap(words, first string, indent, width int) string {
	var b strings.Builder
	line, gap := first, ""
	for word := range strings.FieldsSeq(words) {
		if gap != "" && table.Width(line+gap+word) > width {
			b.WriteString(line + "\n")
			line, gap = strings.Repeat(" ", indent), ""
		}
		line, gap = line+gap+word, " "
	}
	return b.String() + line + "\n"
}

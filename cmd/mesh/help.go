package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

// helpWidth applies if stdout is not a terminal.
const helpWidth = 80

func printHelp(cmd *cobra.Command, _ []string) {
	width := cmp.Or(output.Width(cmd.OutOrStdout()), helpWidth)
	_, _ = io.WriteString(cmd.OutOrStdout(), helpText(cmd, width)) // mesh help | head -1 is fine
}

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
		own, global := splitFlags(cmd)
		section("Flags:\n", own.FlagUsagesWrapped(width))
		section("Global Flags:\n", global.FlagUsagesWrapped(width))
	}
	section("", prose(cmd.Long, width))
	if cmd.HasAvailableSubCommands() {
		section("", wrap("For flags and examples, run "+cmd.CommandPath()+" COMMAND --help.", "", 0, width))
	}
	return b.String()
}

func usageLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " COMMAND [flags]"
	}
	return cmd.UseLine()
}

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

func splitFlags(cmd *cobra.Command) (own, global *pflag.FlagSet) {
	own, global = new(pflag.FlagSet), new(pflag.FlagSet)
	cmd.InheritedFlags() // has the side effect of adding global flags to cmd.Flags()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if cmd.HasParent() && cmd.Root().PersistentFlags().Lookup(f.Name) != nil {
			global.AddFlag(f)
		} else {
			own.AddFlag(f)
		}
	})
	return own, global
}

// indented matches the indentation and, in a list, the term: two spaces follow it.
var indented = regexp.MustCompile(`^ +(\S+( \S+)* {2,})?`)

// prose wraps paragraphs to width columns. An indented line stays its own line.
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

// wrap starts the first line with first and the others with indent spaces.
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

func newVersion(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  mesh version\n  mesh version -o json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			version := cmd.Root().Version
			return a.Print(map[string]string{"version": version}, output.Fixed("mesh version "+version+"\n"))
		},
	}
}

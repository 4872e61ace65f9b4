package app

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
)

// maxText bounds what is read from stdin, in bytes: a content has at most 200,000 characters of up to four bytes.
const maxText = 1 << 20

// Text returns the argument, or all of stdin for "-", without the line break at its end. The line that shows progress is off while
// a person may type.
func (a *App) Text(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	a.Progress.Stop()
	defer a.Progress.Start()
	text, err := io.ReadAll(io.LimitReader(a.In, maxText+1))
	if err != nil {
		return "", exit.Usagef("stdin: %w", err)
	}
	if len(text) > maxText {
		return "", exit.Usagef("stdin has more than %d bytes; a message has at most 200000 characters", maxText)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), nil
}

// textFrom is the annotation of a command whose last argument is a text.
const textFrom = "text from"

// WithText marks a command whose last argument is a text, and not one of the first n: it may begin with a hyphen there, unless it is a
// flag of the command. Call it where the command is made:
//
//	return withText(cmd, 2) // send TO KIND TEXT
func WithText(cmd *cobra.Command, n int) *cobra.Command {
	cmd.Annotations = map[string]string{textFrom: strconv.Itoa(n)}
	return cmd
}

// ProtectText returns the arguments of root with a text that begins with a hyphen behind "--", or as they are.
func ProtectText(root *cobra.Command, args []string) []string {
	cmd, rest, err := root.Find(args)
	if err != nil {
		return args
	}
	first, err := strconv.Atoi(cmd.Annotations[textFrom])
	if err != nil {
		return args
	}
	text, before := -1, 0 // the place of the text, and the arguments before it that are no flags
	for i := 0; i < len(rest); i++ {
		length := flagLength(cmd, rest[i:])
		switch {
		case length > 0:
			i += length - 1
		case rest[i] == "--" || text >= 0: // it is protected, or not the last
			return args
		case strings.HasPrefix(rest[i], "-") && rest[i] != "-":
			text = i
		default:
			before++
		}
	}
	if text < 0 || before < first {
		return args
	}
	path := strings.Fields(cmd.CommandPath())[1:]
	return slices.Concat(path, rest[:text], rest[text+1:], []string{"--", rest[text]})
}

// flagLength returns how many arguments the flag at the beginning of args takes, itself included, or 0 if it is no flag of cmd.
func flagLength(cmd *cobra.Command, args []string) int {
	arg, _, attached := strings.Cut(args[0], "=")
	if slices.Contains([]string{"-h", "--help"}, arg) {
		return 1
	}
	flag := cmd.Root().PersistentFlags().Lookup("format")
	name, long := strings.CutPrefix(arg, "--")
	switch {
	case long:
		flag = cmd.Flag(name)
	case arg != "-"+flag.Shorthand:
		value, found := strings.CutPrefix(arg, "-"+flag.Shorthand)
		if attached = found; !found || !slices.Contains([]string{"text", "json"}, value) {
			flag = nil
		}
	}
	switch {
	case flag == nil:
		return 0
	case attached || flag.NoOptDefVal != "":
		return 1
	}
	return 2
}

// maxWarnings is how many rows that cannot be decoded a command names.
const maxWarnings = 5

// SkipInvalid warns of the rows of a list that cannot be decoded. It returns err if it is another error.
func (a *App) SkipInvalid(err error) error {
	rows, err := mail.InvalidRows(err)
	a.WarnInvalid(rows)
	return err
}

// WarnInvalid warns of rows that cannot be decoded.
func (a *App) WarnInvalid(rows []*client.RowError) {
	for _, row := range rows[:min(len(rows), maxWarnings)] {
		a.Warn(row)
	}
	if more := len(rows) - maxWarnings; more > 0 {
		a.Warn(fmt.Errorf("%d more rows cannot be decoded", more))
	}
}

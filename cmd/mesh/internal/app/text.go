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

// maxText limits stdin, in bytes: content has up to 200,000 characters, each up to four
// bytes.
const maxText = 1 << 20

// Text returns arg or, if it is "-", all of stdin without the final line break. Progress
// is hidden meanwhile, since a person may type.
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

// textFrom is an annotation with the number passed to WithText.
const textFrom = "text from"

// WithText marks a command whose last argument is text and comes after at least n others.
// The text may start with a hyphen, unless it is a flag. Call it on the new command:
//
//	return app.WithText(cmd, 2) // send TO KIND TEXT
func WithText(cmd *cobra.Command, n int) *cobra.Command {
	cmd.Annotations = map[string]string{textFrom: strconv.Itoa(n)}
	return cmd
}

// ProtectText moves text behind "--" if it starts with a hyphen; see [WithText]. Other
// arguments for root are returned unchanged.
func ProtectText(root *cobra.Command, args []string) []string {
	cmd, rest, err := root.Find(args)
	if err != nil {
		return args
	}
	first, err := strconv.Atoi(cmd.Annotations[textFrom])
	if err != nil {
		return args
	}
	text, before := -1, 0 // index of the text, and non-flag arguments before it
	for i := 0; i < len(rest); i++ {
		length := flagLength(cmd, rest[i:])
		switch {
		case length > 0:
			i += length - 1
		case rest[i] == "--" || text >= 0: // already protected, or not the last
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

// flagLength returns the number of arguments that the flag at args[0] takes, including
// itself, or 0 if cmd has no such flag.
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

// maxWarnings limits warnings about invalid rows.
const maxWarnings = 5

// SkipInvalid warns about invalid rows in a list and returns any other error.
func (a *App) SkipInvalid(err error) error {
	rows, err := mail.InvalidRows(err)
	a.WarnInvalid(rows)
	return err
}

// WarnInvalid warns about invalid rows.
func (a *App) WarnInvalid(rows []*client.RowError) {
	for _, row := range rows[:min(len(rows), maxWarnings)] {
		a.Warn(row)
	}
	if more := len(rows) - maxWarnings; more > 0 {
		a.Warn(fmt.Errorf("%d more rows cannot be decoded", more))
	}
}

package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// In lines and columns: text above the flags has to fit on a screen, and a flag on a
// line.
const (
	mostAboveFlags = 25
	widestFlag     = 90
)

func TestHelpFitsOnAScreen(t *testing.T) {
	t.Parallel()
	for _, cmd := range everyCommand(t) {
		above, _, found := strings.Cut(helpText(cmd, helpWidth), "\nFlags:\n")
		if found && cmd.HasParent() {
			assert.LessOrEqual(t, strings.Count(above, "\n"), mostAboveFlags, cmd.CommandPath())
		}
		own, global := splitFlags(cmd)
		for line := range strings.Lines(own.FlagUsages() + global.FlagUsages()) {
			assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), widestFlag, "%s: %s", cmd.CommandPath(), line)
		}
	}
}

// The flag for a listen address is --listen; --addr may only be a hidden alias.
func TestAddressesAreListen(t *testing.T) {
	t.Parallel()
	for _, cmd := range everyCommand(t) {
		if f := cmd.Flags().Lookup("addr"); f != nil {
			assert.True(t, f.Hidden, cmd.CommandPath())
			assert.NotNil(t, cmd.Flags().Lookup("listen"), cmd.CommandPath())
		}
	}
}

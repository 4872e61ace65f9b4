package app

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/scan"
)

// ProviderFlag adds --provider to a command.
func ProviderFlag(cmd *cobra.Command, name *string, usage string) {
	cmd.Flags().StringVar(name, "provider", "", usage)
	Complete(cmd, "provider", completeProvider)
}

// ParseDays reads a number of days such as "60d".
func ParseDays(flag, text string) (time.Duration, error) {
	days, ok := dates.Days(text)
	if !ok {
		return 0, exit.Usagef("%s %q must be a number of days, such as 60d, and at most %dd", flag, text, dates.MaxDays)
	}
	return time.Duration(days) * 24 * time.Hour, nil
}

// Exclude makes a flag exclude others. It sets PreRunE, so a command can have only one such flag.
func Exclude(cmd *cobra.Command, flag string, others ...string) {
	for _, other := range others {
		cmd.MarkFlagsMutuallyExclusive(flag, other) // for the completion; its error has other words
	}
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		for _, other := range others {
			if cmd.Flags().Changed(flag) && cmd.Flags().Changed(other) {
				return exit.Usagef("--%s and --%s exclude each other", flag, other)
			}
		}
		return nil
	}
}

// CheckRules checks --allow-rule. An unknown rule has no effect.
func CheckRules(rules []int) error {
	for _, rule := range rules {
		if rule < 0 || rule >= len(scan.Rules()) {
			return exit.Usagef("--allow-rule %d must be 1 to %d", rule, len(scan.Rules())-1)
		}
	}
	return nil
}

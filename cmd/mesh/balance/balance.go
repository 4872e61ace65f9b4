// Package balance implements mesh balance.
package balance

import (
	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery"
)

// New returns the mesh balance command.
func New(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "balance",
		Short:   "Show your DeepSeek account balance",
		Long:    "Balance reads DEEPSEEK_API_KEY.",
		Example: "  mesh balance\n  mesh balance -o json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, failures := a.Discover()
			balance, err := c.FetchDeepSeekBalance(cmd.Context(), discovery.BalanceOptions{})
			if err != nil {
				return err
			}
			if balance == nil {
				return app.NoAnswerOf(failures, "")
			}
			columns := []table.Column{
				table.Plain("TOTAL", 0), table.Plain("GRANTED", 1), table.Plain("TOPPED UP", 2), table.Plain("CURRENCY", 0), table.Plain("ENOUGH FOR CALLS", 0),
			}
			return a.PrintTable(balance, columns, [][]string{{
				output.Decimal(balance.TotalBalance), output.Decimal(balance.GrantedBalance), output.Decimal(balance.ToppedUpBalance), balance.Currency,
				output.YesNo(balance.IsAvailable),
			}})
		},
	}
}

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

func newHealth(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "health",
		Short: "Print what the gateway reports about itself",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.connectAs(observer)
			if err != nil {
				return err
			}
			defer c.Close()
			text, err := c.Health(cmd.Context())
			if err != nil {
				return err
			}
			return a.print(map[string]string{"health": text}, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, printable(strings.TrimSpace(text)))
				return err
			})
		},
	}
}

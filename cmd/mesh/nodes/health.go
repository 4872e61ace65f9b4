package nodes

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// NewHealth returns the command mesh health.
func NewHealth(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "health",
		Short:   "Print what the gateway reports about itself",
		Long:    "Health prints what the gateway reports about itself. It needs no token. The exit status is 3 if there is no response.",
		Example: "  mesh health\n  mesh health -o json",
		Args:    cobra.NoArgs,
		RunE: a.Observe(func(ctx context.Context) error {
			text, err := a.Client.Health(ctx)
			if err != nil {
				return err
			}
			return a.Print(map[string]any{"health": health(text)}, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, output.Lines(strings.TrimSpace(text)))
				return err
			})
		}),
	}
}

// health returns the JSON of a report, or a report in another format as a text.
func health(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

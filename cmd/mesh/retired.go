package main

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery"
)

// retirement is one row of mesh retired.
type retirement struct {
	Provider discovery.Provider `json:"provider"`
	Model    string             `json:"model"`
	discovery.RetirementStatus
}

func newRetired(a *app) *cobra.Command {
	var within string
	cmd := &cobra.Command{
		Use:   "retired [MODEL...|-]",
		Short: "Check models for retirement; exit status 1 if one is retired or retires soon",
		Long: `Retired checks each MODEL, or with - each line of stdin, against the built-in dates and, if their keys are set, the dates
that OpenAI and Anthropic report. Without a MODEL it lists all models that retire within the time of --within; the exit
status is then 0. A model that is not known is listed and does not change the exit status. Blank lines of stdin and lines that
begin with # are skipped.`,
		Example:           "  mesh retired gpt-4o claude-sonnet-5-5 --within 90d\n  mesh retired - < models.txt",
		Args:              args(cobra.ArbitraryArgs),
		ValidArgsFunction: completeRetirement,
		RunE: func(cmd *cobra.Command, models []string) error {
			soon, err := parseDays(within)
			if err != nil {
				return err
			}
			if models, err = a.expand(models); err != nil {
				return err
			}
			return a.retired(cmd.Context(), models, soon)
		},
	}
	cmd.Flags().StringVar(&within, "within", "60d", "report models that retire within this time, in days as in 60d")
	return cmd
}

// maxDays is a century, which a time.Duration can hold.
const maxDays = 36_500

// parseDays reads a number of days such as "60d".
func parseDays(text string) (time.Duration, error) {
	number, ok := strings.CutSuffix(text, "d")
	n, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil || n > maxDays {
		return 0, usagef("--within %q must be a number of days, such as 60d, and at most %dd", text, maxDays)
	}
	return time.Duration(n) * 24 * time.Hour, nil
}

// expand replaces "-" by the lines of stdin.
func (a *app) expand(models []string) ([]string, error) {
	var all []string
	for _, model := range models {
		if model != "-" {
			all = append(all, model)
			continue
		}
		lines := bufio.NewScanner(a.in)
		for lines.Scan() {
			if text := strings.TrimSpace(lines.Text()); text != "" && !strings.HasPrefix(text, "#") {
				all = append(all, text)
			}
		}
		if err := lines.Err(); err != nil {
			return nil, usagef("stdin: %w", err)
		}
	}
	if len(models) > 0 && len(all) == 0 {
		return nil, usagef("stdin names no model")
	}
	return all, nil
}

func (a *app) retired(ctx context.Context, models []string, soon time.Duration) error {
	c, failures := a.discover()
	registry, err := c.Retirements(ctx)
	if err != nil {
		return err
	}
	a.warnAll(failures)
	if len(models) == 0 {
		return a.printRetirements(retiring(registry, soon))
	}
	list, found := checkModels(registry, models, soon)
	if err := a.printRetirements(list); err != nil {
		return err
	}
	if found {
		return errFound
	}
	return nil
}

func retiring(registry discovery.Registry, soon time.Duration) []retirement {
	list := []retirement{}
	for _, r := range registry.RetiringWithin(soon) {
		list = append(list, retirement{r.Provider, r.ID, registry.Check(r.Provider, r.ID, time.Now())})
	}
	return list
}

// checkModels reports every model, and whether one of them is retired or retires soon.
func checkModels(registry discovery.Registry, models []string, soon time.Duration) (list []retirement, found bool) {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for _, model := range models {
		p, ok := discovery.ProviderOf(model)
		if !ok {
			list = append(list, retirement{"", model, discovery.RetirementStatus{State: discovery.StateUnknown}})
			continue
		}
		status := registry.Check(p, model, today)
		list = append(list, retirement{p, model, status})
		date, err := time.Parse(time.DateOnly, status.Date)
		found = found || status.State == discovery.StateRetired || err == nil && !date.After(today.Add(soon))
	}
	return list, found
}

func (a *app) printRetirements(list []retirement) error {
	return a.print(list, func(w io.Writer) error {
		rows := make([][]string, len(list))
		for i, r := range list {
			rows[i] = []string{output.Text((*string)(&r.Provider)), r.Model, string(r.State), output.Text(&r.Date), output.Text(&r.Replacement)}
		}
		return output.Table(w, []string{"PROVIDER", "MODEL", "STATE", "DATE", "REPLACEMENT"}, rows)
	})
}

package prices

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/providers"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// completePriced completes a model of the built-in price list.
func completePriced(*cobra.Command, []string, string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	list := prices.BuiltIn()
	for _, p := range list.Providers() {
		names = append(names, list.Models(p)...)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// priceOptions are the argument and the flags of mesh price.
type priceOptions struct {
	*app.App
	model              string
	counted            bool // there are tokens of a call
	provider, at, mode string
	live               bool
	usage              prices.Usage
}

// NewPrice returns the command mesh price.
func NewPrice(a *app.App) *cobra.Command {
	o := &priceOptions{App: a}
	cmd := &cobra.Command{
		Use:   "price MODEL",
		Short: "Show the prices of a model or, with token counts, the cost of a call",
		Long: `Price prints the prices of a model or, with token counts, the cost of a call. It uses the list of mesh prices, and sends
nothing. --live requests the prices that Google and xAI publish, with GOOGLE_CLOUD_BILLING_API_KEY and XAI_API_KEY.`,
		Example:           "  mesh price claude-sonnet-5-5\n  mesh price grok-4.7 --live\n  mesh price gpt-5.2 --input 12000 --cache-read 8000 --output 900",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: app.CompleteArgs(completePriced),
		RunE: func(cmd *cobra.Command, models []string) error {
			o.model = models[0]
			for _, name := range []string{"input", "cache-read", "cache-write", "cache-write-1h", "output"} {
				o.counted = o.counted || cmd.Flags().Changed(name)
			}
			return runPrice(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	app.ProviderFlag(cmd, &o.provider, "provider of the model (default: determined from its name)")
	app.PricesFlag(a, cmd)
	flags.BoolVar(&o.live, "live", false, "request the prices that Google and xAI publish now")
	flags.StringVar(&o.at, "at", "", "UTC day or RFC 3339 time of the call (default now)")
	flags.StringVar(&o.mode, "mode", "", "batch, flex, priority or another mode that changes the price")
	flags.Int64Var(&o.usage.Input, "input", 0, "input tokens that were not read from a cache")
	flags.Int64Var(&o.usage.CacheRead, "cache-read", 0, "input tokens read from a cache")
	flags.Int64Var(&o.usage.CacheWrite5m, "cache-write", 0, "input tokens written to a cache for five minutes")
	flags.Int64Var(&o.usage.CacheWrite1h, "cache-write-1h", 0, "input tokens written to a cache for an hour")
	flags.Int64Var(&o.usage.Output, "output", 0, "output tokens, reasoning included")
	return cmd
}

// runPrice prints the prices of a model, or the cost of a call.
func runPrice(ctx context.Context, o *priceOptions) error {
	switch {
	case o.counted:
		return o.callCost(ctx)
	case o.at != "" || o.mode != "":
		return exit.Usagef("--at and --mode need the token counts of a call, such as --input")
	}
	p, list, err := o.pricesOf(ctx)
	if err != nil {
		return err
	}
	rows := list.ForModel(p, o.model)
	if len(rows) == 0 {
		if models.Retirements().Check(p, o.model, time.Now()).State != models.StateUnknown {
			return exit.Failedf("%s has no known price", o.model)
		}
		if name := app.Similar(o.model, list.Models(p)); name != "" {
			return exit.Failedf("%s is not in the price list; did you mean %s?", o.model, name)
		}
		return exit.Failedf("%s is not in the price list", o.model)
	}
	return o.Print(pricings(rows), func(w io.Writer) error {
		if _, wide := w.(output.Wide); !wide && output.Width(w) > 0 {
			return priceCard(w, o.model, rows, time.Now())
		}
		return priceTable(w, rows)
	})
}

// pricesOf returns the provider of a model and the price list, with the prices that the provider publishes now if they are requested.
func (o *priceOptions) pricesOf(ctx context.Context) (models.Provider, *prices.List, error) {
	list, _, err := o.PriceList()
	if err != nil {
		return "", nil, err
	}
	p, err := providers.Priced(list, o.provider, o.model)
	if err == nil && o.live {
		list, err = o.livePrices(ctx, p, list)
	}
	return p, list, err
}

// livePrices returns a list with the prices that a provider publishes now.
func (o *priceOptions) livePrices(ctx context.Context, p models.Provider, list *prices.List) (*prices.List, error) {
	keys := livePriceKeys[p]
	switch {
	case len(keys) == 0:
		o.Warn(fmt.Errorf("--live: %s publishes no prices; those of the table are used", p))
		return list, nil
	case !slices.ContainsFunc(keys, func(name string) bool { return strings.TrimSpace(os.Getenv(name)) != "" }):
		o.Warn(fmt.Errorf("--live: %s is not set; the prices of the table are used", keys[0]))
		return list, nil
	}
	c, failures := o.Discover()
	list, err := c.LivePrices(ctx, list)
	if err == nil {
		o.WarnAll(failures)
	}
	return list, err
}

// livePriceKeys are the variables with the keys for the prices of the providers that publish them.
var livePriceKeys = map[models.Provider][]string{
	models.Gemini: {"GOOGLE_CLOUD_BILLING_API_KEY", "GOOGLE_CLOUD_API_KEY"}, models.XAI: {"XAI_API_KEY"},
}

func priceTable(w io.Writer, list []prices.Row) error {
	rows := table.Rows(list, func(r *prices.Row) []string {
		mode := r.Mode
		if r.Modality != prices.ModalityText {
			mode += " " + r.Modality
		}
		return append([]string{
			string(r.Provider), r.ModelHint, known(mode), known(r.ValidFrom), known(r.ValidUntil), strconv.FormatInt(r.TierThresholdTokens, 10),
		}, amounts(r)...)
	})
	if err := output.Table(w, []table.Column{
		table.Plain("PROVIDER", 1), table.Key("MODEL"), table.Plain("MODE", 0), table.Plain("FROM", 3), table.Plain("UNTIL", 4), table.Plain("PROMPT FROM", 0),
		table.Plain("INPUT", 0), table.Plain("CACHE READ", 5), table.Plain("5M WRITE", 6), table.Plain("1H WRITE", 2), table.Plain("OUTPUT", 0),
	}, rows); err != nil {
		return err
	}
	_, err := io.WriteString(w, `USD per million tokens; a price of - is unknown. UNTIL is the first day after
the period, and - is no limit. PROMPT FROM is the shortest prompt, in tokens.
5M WRITE and 1H WRITE are writes to a cache for five minutes and for an hour.
`)
	return err
}

// amounts returns the prices of a row.
func amounts(r *prices.Row) []string {
	return []string{known(r.InputPerMTok), known(r.CacheReadPerMTok), known(r.CacheWrite5mPerMTok), known(r.CacheWrite1hPerMTok), known(r.OutputPerMTok)}
}

func (o *priceOptions) callCost(ctx context.Context) error {
	at, err := dates.Time(o.at)
	if err != nil {
		return err
	}
	if at.IsZero() {
		at = time.Now()
	}
	p, list, err := o.pricesOf(ctx)
	if err != nil {
		return err
	}
	cost, err := list.CostOf(prices.Call{Provider: p, Model: o.model, Usage: o.usage, At: at, Mode: o.mode})
	if err != nil {
		return err
	}
	return o.Print(cost, func(w io.Writer) error { return costTable(w, &cost) })
}

func costTable(w io.Writer, cost *prices.Cost) error {
	rows := table.Rows(cost.Lines, func(line *prices.Line) []string {
		return []string{line.What, strconv.FormatInt(line.Tokens, 10), string(line.USDPerMTok), string(line.USD)}
	})
	rows = append(rows, []string{"total", "", "", string(cost.USD)})
	if err := output.Table(w, []table.Column{table.Key("WHAT"), table.Plain("TOKENS", 2), table.Plain("USD PER MILLION", 1), table.Plain("USD", 0)}, rows); err != nil {
		return err
	}
	_, err := io.WriteString(w, "price from: "+output.Line(cost.Source)+"\n")
	return err
}

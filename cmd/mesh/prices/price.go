package prices

import (
	"cmp"
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
	"github.com/mesh-gateway/mesh-go/internal/money"
)

func completePriced(*cobra.Command, []string, string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	list := prices.BuiltIn()
	for _, p := range list.Providers() {
		names = append(names, list.Models(p)...)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

type priceOptions struct {
	*app.App
	model              string
	counted            bool // a token flag is set
	provider, at, mode string
	live               bool
	usage              prices.Usage
}

// NewPrice returns the mesh price command.
func NewPrice(a *app.App) *cobra.Command {
	o := &priceOptions{App: a}
	cmd := &cobra.Command{
		Use:               "price MODEL",
		Short:             "Show a model's prices or, with token counts, a call's cost",
		Long:              `Price prints a model's prices or, with token counts, a call's cost. It uses the list of mesh prices, and sends nothing. --live requests the prices that Google and xAI publish, with GOOGLE_CLOUD_BILLING_API_KEY and XAI_API_KEY.`,
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
		if o.Registry().Check(p, o.model, time.Now()).State != models.StateUnknown {
			return exit.Failedf("%s has no known price", o.model)
		}
		return exit.Failedf("%w", providers.Unlisted(list, o.Registry(), p, o.model))
	}
	return o.Print(pricings(rows), func(w io.Writer) error {
		write := func() error { return priceTable(w, rows) }
		if _, wide := w.(output.Wide); !wide && output.Width(w) > 0 {
			write = func() error { return priceCard(w, o.Registry(), o.model, rows, time.Now()) }
		}
		if err := write(); err != nil {
			return err
		}
		price, _ := list.Price(p, o.model, time.Now())
		return promotion(w, price.Source, time.Now())
	})
}

// pricesOf returns a model's provider and the price list. With --live the list includes
// prices that the provider publishes now.
func (o *priceOptions) pricesOf(ctx context.Context) (models.Provider, *prices.List, error) {
	list, _, err := o.PriceList()
	if err != nil {
		return "", nil, err
	}
	p, err := providers.Priced(list, o.Registry(), o.provider, o.model)
	if err == nil && o.live {
		list, err = o.livePrices(ctx, p, list)
	}
	return p, list, err
}

// livePrices warns and returns the list unchanged if the provider publishes no prices
// or its key isn't set.
func (o *priceOptions) livePrices(ctx context.Context, p models.Provider, list *prices.List) (*prices.List, error) {
	keys := livePriceKeys[p]
	switch {
	case len(keys) == 0:
		o.Warn(fmt.Errorf("--live: %s publishes no prices; the table is used", p))
		return list, nil
	case !slices.ContainsFunc(keys, func(name string) bool { return strings.TrimSpace(os.Getenv(name)) != "" }):
		o.Warn(fmt.Errorf("--live: %s is not set; the table is used", keys[0]))
		return list, nil
	}
	c, failures := o.Discover()
	list, err := c.LivePrices(ctx, list)
	if err == nil {
		o.WarnAll(failures)
	}
	return list, err
}

// livePriceKeys are the variables with API keys, for providers that publish prices.
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
			string(r.Provider), r.ModelHint, output.Known(mode), output.Known(r.ValidFrom), output.Known(r.ValidUntil), strconv.FormatInt(r.TierThresholdTokens, 10),
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

func amounts(r *prices.Row) []string {
	return []string{output.Known(r.InputPerMTok), output.Known(r.CacheReadPerMTok), output.Known(r.CacheWrite5mPerMTok), output.Known(r.CacheWrite1hPerMTok), output.Known(r.OutputPerMTok)}
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
		return []string{line.Kind, strconv.FormatInt(line.Tokens, 10), string(line.USDPerMTok), string(line.USD)}
	})
	rows = append(rows, []string{"total", "", "", string(cost.USD)})
	if err := output.Table(w, []table.Column{table.Key("WHAT"), table.Plain("TOKENS", 2), table.Plain("USD PER MILLION", 1), table.Plain("USD", 0)}, rows); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "price from: "+output.Line(cost.Source)+"\n"); err != nil {
		return err
	}
	return promotion(w, cost.Source, time.Now())
}

// promotion warns if a promotional price is no longer guaranteed.
func promotion(w io.Writer, source string, now time.Time) error {
	through := prices.GuaranteedThrough(source)
	if through == "" || through >= now.UTC().Format(time.DateOnly) {
		return nil
	}
	_, err := fmt.Fprintf(w, "This promotional price was guaranteed through %s only, and may have ended.\n", through)
	return err
}

// priceCard fits a terminal that's too narrow for the table's eleven columns. Today's
// prices come first, and the retirement date last.
func priceCard(w io.Writer, registry models.Registry, model string, list []prices.Row, now time.Time) error {
	width, today := output.Width(w), now.UTC().Format(time.DateOnly)
	line := func(format string, args ...any) {
		fmt.Fprintln(w, output.Mark(w, table.Paragraph(output.Line(fmt.Sprintf(format, args...)), width)))
	}
	line("%s (%s), USD per million tokens", model, list[0].Provider)
	for _, p := range periodsOf(list, today) {
		line("")
		if isUnknown(p.rows) {
			line("%s%s: not known", cmp.Or(p.title, "Now"), priceNames(model, p.rows))
			continue
		}
		if p.title != "" {
			line("%s:", p.title)
		}
		if err := pricesOfPeriod(w, model, p.rows); err != nil {
			return err
		}
	}
	status := registry.Check(list[0].Provider, model, now)
	if status.Date == "" {
		return nil
	}
	line("")
	verb := "Retires"
	if status.State == models.StateRetired {
		verb = "Retired"
	}
	line("%s on %s. Replacement: %s.", verb, status.Date, cmp.Or(status.Replacement, "not known"))
	if status.Replacement != "" {
		line("Next: mesh price %s", status.Replacement)
	}
	return nil
}

// period has prices for a time. place is 0 for now, 1 for later and 2 for earlier
// periods. title is "" if the prices hold now and have no end.
type period struct {
	place int
	title string
	rows  []prices.Row
}

// periodsOf groups rows by period: now, later, earlier. Otherwise the order stays.
func periodsOf(list []prices.Row, today string) (all []period) {
	for _, row := range list {
		p := periodOf(&row, today)
		i := slices.IndexFunc(all, func(other period) bool { return other.title == p.title })
		if i < 0 {
			i, all = len(all), append(all, p)
		}
		all[i].rows = append(all[i].rows, row)
	}
	slices.SortStableFunc(all, func(a, b period) int { return cmp.Compare(a.place, b.place) })
	return slices.CompactFunc(all, func(a, b period) bool { // merge later periods that stay unknown
		return a.place == 1 && b.place == 1 && isUnknown(a.rows) && isUnknown(b.rows) && priceNames("", a.rows) == priceNames("", b.rows)
	})
}

// periodOf leaves rows empty.
func periodOf(r *prices.Row, today string) period {
	from, until := date(r.ValidFrom), date(r.ValidUntil)
	switch {
	case until != "" && until <= today:
		return period{place: 2, title: "Before " + until}
	case from > today:
		return period{place: 1, title: "From " + from}
	case until != "":
		return period{title: "Now, and before " + until}
	}
	return period{}
}

// isUnknown reports whether no row has a price. Such rows start when announced prices
// end.
func isUnknown(list []prices.Row) bool {
	return !slices.ContainsFunc(list, func(r prices.Row) bool {
		return slices.ContainsFunc(amounts(&r), func(usd string) bool { return usd != output.Unknown })
	})
}

// date cuts a time to its day.
func date(text string) string { return text[:min(len(text), len(time.DateOnly))] }

// priceNames returns labels for a period title, or "" if a price holds for any prompt.
func priceNames(model string, list []prices.Row) string {
	var names strings.Builder
	for _, row := range list {
		name := priceName(model, &row)
		if name == anyPrompt {
			return ""
		}
		names.WriteString(", " + name)
	}
	return names.String()
}

// pricesOfPeriod writes one table row per mode and prompt length.
func pricesOfPeriod(w io.Writer, model string, list []prices.Row) error {
	columns := []table.Column{
		table.Key(""), table.Late("INPUT", 0), table.Late("CACHE READ", 3), table.Late("5M WRITE", 2), table.Late("1H WRITE", 1), table.Late("OUTPUT", 0),
	}
	return output.Table(w, columns, table.Rows(list, func(p *prices.Row) []string {
		return append([]string{priceName(model, p)}, amounts(p)...)
	}))
}

const anyPrompt = "any prompt"

func priceName(model string, p *prices.Row) string {
	name := anyPrompt
	if p.TierThresholdTokens > 0 {
		name = fmt.Sprintf("prompts from %s tokens", money.Separated(fmt.Sprint(p.TierThresholdTokens)))
	}
	if mode := strings.TrimSpace(p.Mode); mode != "" && mode != prices.ModeStandard {
		name = mode + ", " + name
	}
	if p.Modality != "" && p.Modality != prices.ModalityText {
		name = p.Modality + ", " + name
	}
	if p.ModelHint != model && p.ModelHint != "" {
		name += " of " + p.ModelHint
	}
	return name
}

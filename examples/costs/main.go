// Command costs is a nightly job. It prices recorded calls, compares them with the
// providers' bills day by day, and fails if they differ too much.
//
//	go run ./examples/costs -usage calls.jsonl -from 2026-11-01 -to 2026-11-08 openai anthropic xai
//
// The calls file, as written by [calls.Log], has a JSON object per line:
//
//	{"provider":"openai","model":"gpt-5.4","time":"2026-11-01T12:00:00Z","usage":{"prompt_tokens":12000,…}}
//
// usage is the unchanged usage object from the provider's response. mode is optional:
// "batch" for a call in a batch, and for OpenAI the response's service tier. Calls
// outside the window are ignored, which is the last seven days unless you set -from and
// -to. The program prints a table per provider.
//
// The keys come from OPENAI_ADMIN_KEY, from ANTHROPIC_ADMIN_KEY, and from
// XAI_MANAGEMENT_KEY and XAI_TEAM_ID. Such keys can manage a whole organization: give
// them only to this job. Anthropic's bill doesn't include the priority service tier.
//
// The exit status is
//
//   - 0 if every bill differs from the counted cost by at most -drift percent
//   - 1 if a bill differs more, or if that's unknown: the bill can't be read, a call has
//     no known price, or no call was counted
//   - 2 if an argument or a line is invalid, because the line's call would be missing
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	j := job{client: discovery.Default(), today: time.Now().UTC().Truncate(24 * time.Hour), out: os.Stdout}
	status := j.run(ctx, os.Args[1:], os.Stderr)
	stop()
	os.Exit(status)
}

type job struct {
	client *discovery.Client
	today  time.Time
	out    io.Writer

	usage     string
	from, to  time.Time
	drift     float64
	providers []models.Provider
}

// run returns the exit status.
func (j *job) run(ctx context.Context, args []string, errs io.Writer) int {
	if err := j.parse(args, errs); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		fmt.Fprintln(errs, "costs:", err)
		return 2
	}
	counted, err := j.count(ctx)
	if err != nil {
		fmt.Fprintln(errs, "costs:", err)
		return 2
	}
	status := 0
	for _, provider := range j.providers {
		if err := j.compare(ctx, provider, counted); err != nil {
			fmt.Fprintf(errs, "costs: %s: %v\n", provider, err)
			status = 1
		}
	}
	return status
}

func (j *job) parse(args []string, errs io.Writer) error {
	flags := flag.NewFlagSet("costs", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.StringVar(&j.usage, "usage", "calls.jsonl", "calls file, or directory of calls files")
	flags.Float64Var(&j.drift, "drift", 1, "maximum drift, in percent of the bill")
	from := flags.String("from", j.today.AddDate(0, 0, -7).Format(time.DateOnly), "first day, UTC")
	to := flags.String("to", j.today.Format(time.DateOnly), "day after the last one, UTC")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if j.from, err = time.Parse(time.DateOnly, *from); err != nil {
		return err
	}
	if j.to, err = time.Parse(time.DateOnly, *to); err != nil {
		return err
	}
	for _, name := range flags.Args() {
		provider, err := models.ParseProvider(name)
		if err != nil {
			return err
		}
		if providers[provider] == nil {
			return fmt.Errorf("%s has no bill to read", provider)
		}
		j.providers = append(j.providers, provider)
	}
	if len(j.providers) == 0 {
		return errors.New("name the providers whose bills to read")
	}
	return nil
}

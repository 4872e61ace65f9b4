package meter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func (run *meterRun) parseBudgets() error {
	switch {
	case len(run.budgets) > 0:
	case run.perCall != "":
		return errors.New("--per-call needs --budget")
	case run.chargesOnly:
		return errors.New("--charges-only needs --budget")
	}
	for _, text := range run.budgets {
		if text == "" { // perhaps from an unset variable
			return errors.New("--budget must not be empty")
		}
		b, err := meter.ParseBudget(text)
		if err != nil {
			return err
		}
		b.PerCall = prices.USD(run.perCall)
		run.limits = append(run.limits, b)
	}
	return nil
}

func budgetText(b meter.Budget, label string) string {
	return costs.BudgetText(b.USD, string(b.Per), b.Label, label)
}

// openLog checks that --log is writable. It returns nil for "".
func openLog(dir string) (*calls.Log, error) {
	if dir == "" {
		return nil, nil
	}
	log, err := calls.OpenLog(dir)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(dir, ".mesh-*")
	if err != nil {
		return nil, err
	}
	_ = file.Close()
	return log, os.Remove(file.Name())
}

// newMeters returns Meters for the run. A budget without a period counts only this run's
// calls. With --log, other budgets also count calls that anyone else writes to the
// directory.
func (run *meterRun) newMeters(list *prices.List, upstreams []proxy.Upstream, common []meter.Option) (*proxy.Meters, error) {
	common = append(common, meter.WithBudgetWarning(run.warnOfBudget))
	if run.chargesOnly {
		common = append(common, meter.WithChargesOnly())
	}
	counting, alone := slices.Clone(common), common
	for _, b := range run.limits {
		if b.Per != "" {
			counting = append(counting, meter.WithBudget(b))
		} else {
			alone = append(alone, meter.WithBudget(b))
		}
	}
	counting = append(counting, meter.WithRecorder(run.warnOfNewer(list)))
	if run.strict {
		counting = append(counting, meter.WithStrict())
	}
	if run.streamUsage {
		counting = append(counting, meter.WithStreamUsage())
	}
	if len(run.limits) > 0 {
		run.warnOfBudgets(upstreams)
		counting = append(counting, meter.WithRecorder(run.warnOfUnpriced()))
	}
	meters, err := proxy.NewMeters(list, upstreams, run.record, counting...)
	if err == nil && len(alone) > len(common) {
		err = meters.LimitRun(list, alone...)
	}
	return meters, err
}

func (run *meterRun) record(r calls.Record) {
	run.summary.Record(r)
	if run.log != nil {
		run.log.Record(r)
	}
}

// follows reports whether budgets count the --log directory.
func (run *meterRun) follows() bool {
	return run.log != nil && slices.ContainsFunc(run.limits, func(b meter.Budget) bool { return b.Per != "" })
}

// follow reads earlier records, then new ones by others, until stop is called. It
// warns once about unreadable files.
func (run *meterRun) follow(ctx context.Context) (stop func()) {
	if !run.follows() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	before, end := context.WithCancel(ctx)
	end()
	var warning sync.Once
	warn := func(err error) {
		if err != nil {
			warning.Do(func() { run.Warn(unreadError(err)) })
		}
	}
	warn(run.config.Meters.Follow(before, run.log))
	result := make(chan error, 1)
	go func() { result <- run.config.Meters.Follow(ctx, run.log) }()
	return sync.OnceFunc(func() {
		cancel()
		warn(<-result)
	})
}

func unreadError(err error) error {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return err
	}
	all := joined.Unwrap()
	return fmt.Errorf("--budget does not count unreadable --log lines in %s: %w", output.Plural(len(all), "file"), all[0])
}

// warnOfBudgets warns if a budget limits nothing or refuses everything.
func (run *meterRun) warnOfBudgets(upstreams []proxy.Upstream) {
	effect := "--budget does not limit the calls"
	if run.perCall != "" {
		effect = "--per-call is the cost of all calls"
	}
	for _, u := range upstreams {
		if u.Provider == "" && !u.ByHost {
			run.Warn(fmt.Errorf("%s to %s, which is no provider's host; --upstream %s=URL gives it prices", effect, u.URL.Host, u.API))
		}
	}
	for _, b := range run.limits {
		if b.PerCall.Cmp(b.USD) > 0 {
			run.Warn(fmt.Errorf("--per-call %s is more than --budget %s, so every call is refused", b.PerCall, b.USD))
		}
	}
}

func (o *Options) warnOfBudget(w meter.BudgetWarning) {
	o.Warn(fmt.Errorf("80 %% of the budget %s is spent: %s USD", budgetText(w.Budget, w.LabelValue), w.SpentUSD))
}

// warnOfUnpriced returns a recorder that warns once per model that no budget limits, or
// only --per-call does.
func (o *Options) warnOfUnpriced() func(calls.Record) {
	effect := "--budget does not limit unpriced calls"
	if o.perCall != "" {
		effect = "unpriced calls count as --per-call " + o.perCall + ","
	}
	var models sync.Map
	return func(r calls.Record) {
		if r.USD != "" || (o.perCall == "" && r.BoundUSD != "") {
			return
		}
		if _, known := models.LoadOrStore(r.Platform+"/"+string(r.Provider)+"/"+r.Model, true); !known {
			o.Warn(fmt.Errorf("%s such as this one of %s/%s: %s", effect, cmp.Or(string(r.Provider), r.Platform), cmp.Or(r.Model, "?"), costs.Cause(r.Unpriced)))
		}
	}
}

// warnOfNewer returns a recorder that warns once if a model may be newer than the price
// table.
func (o *Options) warnOfNewer(list *prices.List) func(calls.Record) {
	var once sync.Once
	registry := sync.OnceValue(o.Registry)
	return func(r calls.Record) {
		if r.USD == "" && isNewer(list, registry(), r.Provider, r.Model) {
			once.Do(func() {
				o.Warn(fmt.Errorf("%s/%s is not in the price table from %s and may be newer; mesh update gets the newest table",
					r.Provider, r.Model, o.FactsAge()))
			})
		}
	}
}

// isNewer reports whether an id looks like the provider's own and is in no table.
// Fine-tunes aren't in a table either.
func isNewer(list *prices.List, registry models.Registry, p models.Provider, model string) bool {
	owner, ok := models.ProviderOf(model)
	if !ok || owner != p || strings.HasPrefix(strings.ToLower(model), "ft:") || len(list.ForModel(p, model)) > 0 {
		return false
	}
	return registry.Check(p, model, time.Now()).State == models.StateUnknown
}

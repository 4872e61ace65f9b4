package meter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"slices"
	"sync"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// parseBudgets returns the budgets of --budget and --per-call.
func (o *Options) parseBudgets() (budgets []meter.Budget, err error) {
	if o.perCall != "" && len(o.budgets) == 0 {
		return nil, exit.Usagef("--per-call needs --budget")
	}
	if o.chargesOnly && len(o.budgets) == 0 {
		return nil, exit.Usagef("--charges-only needs --budget")
	}
	for _, text := range o.budgets {
		if text == "" { // as of a variable that is not set
			return nil, exit.Usagef("--budget must not be empty")
		}
		b, err := meter.ParseBudget(text)
		if err != nil {
			return nil, err
		}
		b.PerCall = o.perCall
		budgets = append(budgets, b)
	}
	return budgets, nil
}

// budgetOptions returns the options of a Meter with budgets.
func (o *Options) budgetOptions() []meter.Option {
	opts := []meter.Option{meter.WithBudgetWarning(o.warnOfBudget)}
	if o.chargesOnly {
		opts = append(opts, meter.WithChargesOnly())
	}
	if o.strict {
		opts = append(opts, meter.WithStrict())
	}
	return opts
}

// budgetText returns a budget, of a value of its label, for people.
func budgetText(b meter.Budget, label string) string {
	return costs.BudgetText(b.USD, string(b.Per), b.Label, label)
}

// openLog opens the folder of --log, in which it must be possible to write.
func openLog(dir string) (*calls.Log, error) {
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

// newMeters returns the Meters. With --log, budgets with a period count what others write to the folder, and the others only this run.
func (run *meterRun) newMeters(list *prices.List, upstreams []proxy.Upstream, recorders []func(calls.Record), opts []meter.Option) (*proxy.Meters, error) {
	var shared, alone []meter.Option
	for _, b := range run.parsed {
		if b.Per != "" {
			shared = append(shared, meter.WithBudget(b))
		} else {
			alone = append(alone, meter.WithBudget(b))
		}
	}
	if !run.follows() || len(alone) == 0 {
		return proxy.NewMeters(list, upstreams, recorders, append(append(opts, alone...), shared...)...)
	}
	meters, err := proxy.NewMeters(list, upstreams, recorders, append(opts, shared...)...)
	if err != nil {
		return nil, err
	}
	return meters, meters.LimitRun(list, append(alone, run.limits...)...)
}

// follows reports whether budgets count the folder of --log.
func (run *meterRun) follows() bool {
	return run.log != nil && slices.ContainsFunc(run.parsed, func(b meter.Budget) bool { return b.Per != "" })
}

// follow reads what was spent before, and then what others write, until stop is called. What cannot be read is one warning.
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
	return func() {
		cancel()
		warn(<-result)
	}
}

// unreadError returns one error for those of the files of --log.
func unreadError(err error) error {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return err
	}
	all := joined.Unwrap()
	return fmt.Errorf("--budget does not count the lines of --log that cannot be read, in %s: %w", output.Plural(len(all), "file"), all[0])
}

// warnOfBudgets warns of budgets that limit nothing, or refuse everything.
func (o *Options) warnOfBudgets(budgets []meter.Budget, upstreams []proxy.Upstream) {
	for i, b := range budgets {
		effect := "--budget does not limit the calls"
		if b.PerCall != "" {
			effect = "--per-call is the cost of all calls"
		}
		for _, u := range upstreams {
			if i == 0 && u.Provider == "" && !u.ByHost {
				o.Warn(fmt.Errorf("%s to %s, which is no provider's host; --upstream %s=URL gives it prices", effect, u.URL.Host, u.API))
			}
		}
		if tooMuch(b.PerCall, b.USD) {
			o.Warn(fmt.Errorf("--per-call %s is more than --budget %s, so that every call is refused", b.PerCall, b.USD))
		}
	}
}

// warnOfBudget warns of a budget that is nearly used up.
func (o *Options) warnOfBudget(w meter.BudgetWarning) {
	o.Warn(fmt.Errorf("80 %% of the budget of %s are spent: %s USD", budgetText(w.Budget, w.Label), w.Spent))
}

// warnOfUnpriced returns a recorder that warns of the first call of each model that a budget does not limit, or limits by --per-call.
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

// tooMuch reports whether perCall is more than budget. Package meter checks their syntax.
func tooMuch(perCall, budget string) bool {
	each, ok := new(big.Rat).SetString(perCall)
	limit, valid := new(big.Rat).SetString(budget)
	return ok && valid && each.Cmp(limit) > 0
}

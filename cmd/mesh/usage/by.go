package usage

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// fields are built-in groups; any other --by name is a label.
var fields = []string{
	calls.ByDay, calls.ByWeek, calls.ByMonth, calls.ByProvider, calls.ByPlatform, calls.ByModel, calls.ByUnpriced, calls.ByBilling,
}

// parseBy turns label names into groups: team becomes label:team.
func (o *Options) parseBy() error {
	for i, name := range o.by {
		if name == "" || name == calls.ByLabel("") {
			return exit.Usagef("--by has an empty name")
		}
		if !slices.Contains(fields, name) && !strings.HasPrefix(name, calls.ByLabel("")) {
			o.by[i] = calls.ByLabel(name)
			o.plain = append(o.plain, name)
		}
		if slices.Contains(o.by[:i], o.by[i]) {
			return exit.Usagef("duplicate --by %s", name)
		}
	}
	return nil
}

// checkBy returns an error for a --by name that no call in the files has as a label. It
// only warns if other calls have the label, or the name was given as label:NAME.
func (o *Options) checkBy(sums *costs.Sums) error {
	var labels map[string]bool
	for _, by := range sums.By {
		label, labelled := strings.CutPrefix(by, calls.ByLabel(""))
		if !labelled || slices.ContainsFunc(sums.Rows, func(row calls.Group) bool { return row.Value(by) != "" }) {
			continue
		}
		if labels == nil && slices.Contains(o.plain, label) {
			labels = o.readLabels()
		}
		if slices.Contains(o.plain, label) && !labels[label] {
			return exit.Usagef("--by %q must be %s, or a label of the calls: %s", label, strings.Join(fields, ", "), labelNames(labels))
		}
		o.Warn(fmt.Errorf("--by: no call has the label %q", label))
	}
	return nil
}

// readLabels collects label names from all calls, selected or not.
func (o *Options) readLabels() map[string]bool {
	opts := o.selected
	opts.OnRead = o.ReadingCalls("reading labels", o.in)
	names := map[string]bool{}
	for r, err := range calls.Read(calls.Options{Decode: opts.Decode, Join: opts.Join, OnRead: opts.OnRead, OnCopies: opts.OnCopies}, o.in.Paths...) {
		if err == nil {
			for name := range r.Labels {
				names[name] = true
			}
		}
	}
	return names
}

func labelNames(labels map[string]bool) string {
	if len(labels) == 0 {
		return "no label"
	}
	names := slices.Sorted(maps.Keys(labels))
	if more := len(names) - maxValues; more > 0 {
		names = append(names[:maxValues], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// warnEmpty warns if no calls are selected, unless another warning or the terminal text
// already says where the calls are.
func (o *Options) warnEmpty(sums *costs.Sums, text *report.Report) {
	if sums.Calls == 0 && !o.warnLabels() && !o.firstLook() && (text == nil || text.Source.Calls == 0) {
		o.Warn(errors.New("there are no calls (directories are searched for agent sessions, .jsonl and .jsonl.gz files; --month, --last, --from, --to and --label select calls)"))
	}
}

// warnLabels warns about each --label that no call in the period has, by name or by
// value. It reports whether it warned.
func (o *Options) warnLabels() (warned bool) {
	opts := o.selected
	opts.MatchLabels, opts.OnRead = nil, nil
	for _, name := range slices.Sorted(maps.Keys(o.Match)) {
		by := calls.ByLabel(name)
		opts.By = [][]string{{by}}
		sums, _ := calls.Sum(opts, o.in.Paths...) // unreadable lines were already reported
		groups := sums[0]
		if len(groups) == 0 || slices.ContainsFunc(groups, func(g calls.Group) bool { return g.Value(by) == o.Match[name] }) {
			continue
		}
		var values []string
		for _, g := range groups {
			if value := g.Value(by); value != "" {
				values = append(values, strconv.Quote(value))
			}
		}
		if values == nil {
			o.Warn(fmt.Errorf("--label: no call has the label %q", name))
		} else {
			o.Warn(fmt.Errorf("--label: no call has %s=%s; it is one of %s", name, o.Match[name], strings.Join(values[:min(len(values), maxValues)], ", ")))
		}
		warned = true
	}
	return warned
}

// maxValues limits the label values in a warning.
const maxValues = 10

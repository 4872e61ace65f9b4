package cost

import (
	"cmp"
	"os"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/focus"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func (f Options) check(format string, counted *float64) error {
	switch {
	case f.Match != nil && f.usage == "":
		return exit.Usagef("--label selects calls of --usage, which is missing; a bill has no labels")
	case format == "focus" && (counted != nil || f.usage != "" || f.html != ""):
		return exit.Usagef("-o focus is the bill alone; it cannot be used with --counted, --usage or --html")
	case format != "focus" && f.account != "":
		return exit.Usagef("--account is only for -o focus")
	case f.limited && counted == nil && f.usage == "":
		return exit.Usagef("--max-drift limits the difference from --usage or --counted, and neither is given")
	case counted != nil && !(*counted >= 0): // NaN too
		return exit.Usagef("--counted must not be negative")
	}
	return nil
}

// costFocus writes a bill as rows of FOCUS, by line item.
func costFocus(a *app.App, p models.Provider, r costs.Reconciliation, account string) error {
	a.Progress.Stop()
	switch r := r.(type) {
	case *discovery.ReconciliationReport[discovery.CostBucket]:
		return focus.WriteBill(a.Out, p, account, r.Buckets)
	case *discovery.ReconciliationReport[discovery.TeamCostBucket]:
		return focus.WriteBill(a.Out, p, cmp.Or(account, os.Getenv("XAI_TEAM_ID")), r.Buckets)
	}
	return nil
}

package cost

import (
	"cmp"
	"os"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/focus"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func (o *Options) check() error {
	switch {
	case o.Match != nil && o.usage == "":
		return exit.Usagef("--label selects calls of --usage, which is missing; a bill has no labels")
	case o.Format == "focus" && (o.counted != nil || o.usage != "" || o.html != ""):
		return exit.Usagef("-o focus is the bill alone; it cannot be used with --counted, --usage or --html")
	case o.Format != "focus" && o.account != "":
		return exit.Usagef("--account is only for -o focus")
	case o.limited && o.counted == nil && o.usage == "":
		return exit.Usagef("--max-drift limits the difference from --usage or --counted, and neither is given")
	case o.counted != nil && !(*o.counted >= 0): // NaN too
		return exit.Usagef("--counted must not be negative")
	}
	return nil
}

// writeFocus writes a bill as rows of FOCUS, by line item.
func (o *Options) writeFocus(p models.Provider, r costs.Reconciliation) error {
	o.Progress.Stop()
	switch r := r.(type) {
	case *discovery.ReconciliationReport[discovery.CostBucket]:
		return focus.WriteBill(o.Out, p, o.account, r.Buckets)
	case *discovery.ReconciliationReport[discovery.TeamCostBucket]:
		return focus.WriteBill(o.Out, p, cmp.Or(o.account, os.Getenv("XAI_TEAM_ID")), r.Buckets)
	}
	return nil
}

package usage

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/focus"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// maxLineErrors limits printed line errors, as in calls.Sum; the rest are counted.
const maxLineErrors = 100

// writeFocus writes calls as FOCUS rows and returns exit.ErrFound if some are unpriced.
// Read errors take precedence.
func (o *Options) writeFocus() error {
	s := &o.selected
	rows := focus.NewCalls(s.Prices, o.account)
	var unread []error
	read, omitted, wrong := 0, 0, 0
	for r, err := range calls.Read(*s, o.in.Paths...) {
		switch {
		case err != nil:
			if wrong++; wrong <= maxLineErrors {
				unread = append(unread, err)
			}
		default:
			read++
			if rows.Add(r) != nil {
				omitted++
			}
		}
	}
	if more := wrong - maxLineErrors; more > 0 {
		unread = append(unread, fmt.Errorf("%d more lines cannot be read", more))
	}
	err := exit.WrongUse(o.in.Rename(o.said.Rest(errors.Join(unread...))))
	if err != nil && read == 0 {
		return err
	}
	o.tellShort()
	o.Progress.Stop()
	if err := rows.WriteCSV(o.Out); err != nil {
		return err
	}
	if omitted == 0 {
		return err
	}
	o.Note(fmt.Sprintf("unpriced calls, which have no row: %d (mesh usage --by unpriced has the reasons)", omitted))
	return cmp.Or(err, exit.ErrFound)
}

package prices

import (
	"errors"
	"fmt"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// ErrUnpriced matches, with errors.Is, the error of a call whose cost is not known.
var ErrUnpriced = errors.New("discovery: the cost is not known")

// UnpricedError is the error of a call whose cost is not known. It names what has no known price. The call itself is valid.
type UnpricedError struct {
	Provider models.Provider
	// Model is the id of the call.
	Model string
	// What is what is not known: "model", "period" (at the time of the call), "tier" (for the length of its prompt), the price of
	// "input", "cache_read", "cache_write_5m", "cache_write_1h", "output", "audio" or "image", "mode", "region" (of the platform
	// that the id names), "tool" (the fee of a use), "duration" (of what is billed by time), or "count" (a count of the usage that is
	// not known).
	What string
	// Name is the name of the mode, the tool or the count; "" otherwise.
	Name string
}

func (e *UnpricedError) Error() string {
	model := "the model"
	if name := argument.Shown(e.Model); name != "" { // a longer one could be a key that was pasted into the wrong place
		model = name
	}
	what := e.What
	if name := argument.Shown(e.Name); name != "" {
		what += " " + name
	}
	return fmt.Sprintf("%v: %s: %s %s", ErrUnpriced, what, model, e.reason())
}

func (e *UnpricedError) reason() string {
	switch e.What {
	case "model":
		return "has no price in the list"
	case "period":
		return "has no known price at this time"
	case "tier":
		return "has no known price for a prompt of this length"
	case "mode":
		return "has no known price in this mode"
	case "region":
		return "has no known price on this platform or in this region"
	case "tool":
		return "has no known fee for a use of this tool"
	case "duration":
		return "is billed by duration"
	case "count":
		return "has no known price for this count"
	default:
		return "has no known price of " + e.What
	}
}

// Is reports whether target is [ErrUnpriced].
func (e *UnpricedError) Is(target error) bool { return target == ErrUnpriced }

package prices

import (
	"errors"
	"fmt"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// ErrUnpriced matches every [*UnpricedError], with errors.Is.
var ErrUnpriced = errors.New("prices: unknown cost")

// UnpricedError reports that a valid call has no known cost. It names the missing
// price.
type UnpricedError struct {
	Provider models.Provider
	// Model is the call's model id.
	Model string
	// Missing is the missing price. Later versions may add values.
	Missing Missing
	// Name is the mode, tool or count; "" otherwise.
	Name string
	// BoundUSD is a lower bound: the cost of the tokens and fees with known prices. It is
	// "" if no price is known, and in an unknown mode, which may be cheaper.
	BoundUSD USD

	noKind bool // an Azure call's Region was empty
}

// Missing names a missing price in an [UnpricedError].
type Missing string

// Values for [UnpricedError].Missing.
const (
	// MissingModel means that the list has no price for the model.
	MissingModel Missing = "model"
	// MissingPeriod means that the model has prices, but none at the time of the call.
	MissingPeriod Missing = "period"
	// MissingTier means that the model has no known price at this prompt length.
	MissingTier Missing = "tier"
	// MissingMode means that the model has no known price in the mode called Name.
	MissingMode Missing = "mode"
	// MissingPlatform means that no price on the call's platform is known.
	MissingPlatform Missing = "platform"
	// MissingRegion means that the price is unknown for the call's region or profile, or
	// for the platform or region that the id names.
	MissingRegion Missing = "region"
	// MissingTool means that the fee for using the tool called Name is unknown.
	MissingTool Missing = "tool"
	// MissingDuration means that the call is billed by duration, which no usage has.
	MissingDuration Missing = "duration"
	// MissingCount means that the usage has an unknown count, called Name.
	MissingCount Missing = "count"
	// MissingInput, MissingCacheRead, MissingCacheWrite5m, MissingCacheWrite1h and
	// MissingOutput mean that the model has no known price for these tokens.
	MissingInput        Missing = "input"
	MissingCacheRead    Missing = "cache_read"
	MissingCacheWrite5m Missing = "cache_write_5m"
	MissingCacheWrite1h Missing = "cache_write_1h"
	MissingOutput       Missing = "output"
	// MissingAudio, MissingImage and MissingVideo mean that the model has no known price
	// for audio, images or videos.
	MissingAudio Missing = "audio"
	MissingImage Missing = "image"
	MissingVideo Missing = "video"
)

// newUnpricedError redacts names: one may be a key pasted into the wrong place.
func newUnpricedError(p models.Provider, call *Call, what Missing, name string) *UnpricedError {
	return &UnpricedError{
		Provider: models.Provider(argument.Redact(string(p))), Model: argument.Redact(call.Model), Missing: what, Name: argument.Redact(name),
		noKind: call.Platform == PlatformAzure && call.Region == "",
	}
}

func (e *UnpricedError) Error() string {
	model := "the model"
	if name := argument.Shown(e.Model); name != "" { // a longer one could be a key that was pasted into the wrong place
		model = name
	}
	what := string(e.Missing)
	if name := argument.Shown(e.Name); name != "" {
		what += " " + name
	}
	return fmt.Sprintf("%v: %s: %s %s", ErrUnpriced, what, model, e.reason())
}

func (e *UnpricedError) reason() string {
	switch e.Missing {
	case MissingModel:
		return "has no price in the list"
	case MissingPeriod:
		return "has no known price at this time"
	case MissingTier:
		return "has no known price for a prompt of this length"
	case MissingMode:
		return "has no known price in this mode"
	case MissingRegion:
		if e.noKind {
			return "has no known price on Azure until its deployment kind is configured as global, data-zone or regional"
		}
		return "has no known price on this platform or in this region"
	case MissingPlatform:
		return "has no known price on this platform"
	case MissingTool:
		return "has no known fee for this tool"
	case MissingDuration:
		return "is billed by duration"
	case MissingCount:
		return "has no known price for this count"
	default:
		return "has no known " + string(e.Missing) + " price"
	}
}

// Is reports whether target is [ErrUnpriced].
func (e *UnpricedError) Is(target error) bool { return target == ErrUnpriced }

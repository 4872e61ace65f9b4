package prices

import (
	"errors"
	"fmt"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// ErrUnpriced matches, with errors.Is, the error of a call whose cost is not known.
var ErrUnpriced = errors.New("prices: the cost is not known")

// UnpricedError is the error of a call whose cost is not known. It names what has no known price. The call itself is valid.
type UnpricedError struct {
	Provider models.Provider
	// Model is the id of the call.
	Model string
	// What is what has no known price. More values can be added.
	What Missing
	// Name is the name of the mode, the tool or the count; "" otherwise.
	Name string
	// BoundUSD is what the call costs at least: the tokens and fees whose prices are known. It is "" if there are none, and in an unknown
	// mode, which may be cheaper.
	BoundUSD USD

	noKind bool // the Region of a call on Azure was empty
}

// Missing is what has no known price, in an [UnpricedError].
type Missing string

// The values of [UnpricedError].What.
const (
	// MissingModel means that the list has no price of the model.
	MissingModel Missing = "model"
	// MissingPeriod means that the model has prices, but none at the time of the call.
	MissingPeriod Missing = "period"
	// MissingTier means that the model has no known price for a prompt of this length.
	MissingTier Missing = "tier"
	// MissingMode means that the model has no known price in the mode, whose name is in Name.
	MissingMode Missing = "mode"
	// MissingPlatform means that no price on the platform of the call is known.
	MissingPlatform Missing = "platform"
	// MissingRegion means that the price in the region or with the profile of the call, or on the platform or in the region that the id
	// names, is not known.
	MissingRegion Missing = "region"
	// MissingTool means that the fee for a use of the tool in Name is not known.
	MissingTool Missing = "tool"
	// MissingDuration means that the call is billed by duration, which a usage does not have.
	MissingDuration Missing = "duration"
	// MissingCount means that the usage has a count that is not known, whose name is in Name.
	MissingCount Missing = "count"
	// MissingInput, MissingCacheRead, MissingCacheWrite5m, MissingCacheWrite1h and MissingOutput mean that the model has no known
	// price of this kind of token.
	MissingInput        Missing = "input"
	MissingCacheRead    Missing = "cache_read"
	MissingCacheWrite5m Missing = "cache_write_5m"
	MissingCacheWrite1h Missing = "cache_write_1h"
	MissingOutput       Missing = "output"
	// MissingAudio, MissingImage and MissingVideo mean that the model has no known price of audio, images or videos.
	MissingAudio Missing = "audio"
	MissingImage Missing = "image"
	MissingVideo Missing = "video"
)

// newUnpricedError returns the error of a call, whose names may be keys that were pasted into the wrong place.
func newUnpricedError(p models.Provider, call *Call, what Missing, name string) *UnpricedError {
	return &UnpricedError{
		Provider: models.Provider(argument.Redact(string(p))), Model: argument.Redact(call.Model), What: what, Name: argument.Redact(name),
		noKind: call.Platform == PlatformAzure && call.Region == "",
	}
}

func (e *UnpricedError) Error() string {
	model := "the model"
	if name := argument.Shown(e.Model); name != "" { // a longer one could be a key that was pasted into the wrong place
		model = name
	}
	what := string(e.What)
	if name := argument.Shown(e.Name); name != "" {
		what += " " + name
	}
	return fmt.Sprintf("%v: %s: %s %s", ErrUnpriced, what, model, e.reason())
}

func (e *UnpricedError) reason() string {
	switch e.What {
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
			return "has no known price without the kind of its deployment on Azure, which must be configured as global, data-zone or regional"
		}
		return "has no known price on this platform or in this region"
	case MissingPlatform:
		return "has no known price on this platform"
	case MissingTool:
		return "has no known fee for a use of this tool"
	case MissingDuration:
		return "is billed by duration"
	case MissingCount:
		return "has no known price for this count"
	default:
		return "has no known price of " + string(e.What)
	}
}

// Is reports whether target is [ErrUnpriced].
func (e *UnpricedError) Is(target error) bool { return target == ErrUnpriced }

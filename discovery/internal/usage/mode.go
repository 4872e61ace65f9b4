package usage

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

const (
	// otherModel is the mode of tokens that are billed at the prices of another model. No mode of a request replaces it.
	otherModel = "other-model"
	// unknownCount begins the mode of a count that is not known. No mode of a request replaces it.
	unknownCount = "count:"
	// CachedImages is the mode of a prompt of which it is not known whether text or images were read from the cache.
	CachedImages = unknownCount + "cached_images"
	// seconds is the mode of a duration instead of tokens.
	seconds = unknownCount + "seconds"
)

// Mode returns the mode that a call is billed in: that of the query, or that of the usage object where the query has none. The
// parts are in lower case, without standard ones. What is not known of the usage object is always kept.
func Mode(query, used string) string {
	if query == "" && used == "" {
		return ""
	}
	unknown := slices.DeleteFunc(split(used), func(part string) bool { return !unpriced(part) })
	return join(split(cmp.Or(query, used)), unknown)
}

// unpriced reports whether a mode means tokens without a price. Media are modes of callers: the objects of providers count them.
func unpriced(mode string) bool {
	switch mode {
	case otherModel, "audio", "image", "video", "document":
		return true
	}
	return strings.HasPrefix(mode, unknownCount)
}

// Timed reports whether calls in a mode are billed by duration, as calls of whisper-1 are.
func Timed(mode string) bool { return slices.Contains(split(mode), seconds) }

// Split returns the part of a mode that has a price, and the counts that are not known and tokens of other models, which may cost more.
func Split(mode string) (priced string, rest []string) {
	if !strings.Contains(mode, unknownCount) && !strings.Contains(mode, otherModel) { // nearly always
		return mode, nil
	}
	var parts []string
	for part := range strings.SplitSeq(mode, "+") {
		if part == otherModel || strings.HasPrefix(part, unknownCount) {
			rest = append(rest, part)
		} else {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "+"), rest
}

// Join puts the service tier beside a usage object in front of the mode of that object.
func Join(tier, mode string) string { return join(split(tier), split(mode)) }

// join adds more modes, without those that are there.
func join(modes, more []string) string {
	for _, mode := range more {
		if mode != "" && !slices.Contains(modes, mode) {
			modes = append(modes, mode)
		}
	}
	return strings.Join(modes, "+")
}

func split(modes string) []string {
	parts := strings.Split(modes, "+")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
		if !strings.HasPrefix(parts[i], unknownCount) { // the names of counts have capitals
			parts[i] = strings.ToLower(parts[i])
		}
	}
	return slices.DeleteFunc(parts, func(part string) bool { return standard[part] })
}

// mode keeps the value of a field that changes the price, unless it is the standard one. A value of Gemini may be the number of
// an enum.
func (c *counts) mode(d *jsonread.Decoder, name []byte, place int) error {
	var value []byte
	var err error
	switch kind := d.Next(); {
	case kind == jsonread.Null:
		return d.Skip()
	case kind == jsonread.Number && !bytes.Contains(name, []byte("_")):
		if value, err = d.Raw(); err == nil {
			value = slices.Concat(name, []byte(":"), value)
		}
	case kind == jsonread.String:
		value, err = d.StrBytes()
	default:
		c.addMode(unknownName(string(name)))
		return d.Skip()
	}
	if err != nil {
		return err
	}
	if standard[string(value)] { // as nearly all are, in lower case
		return nil
	}
	lower := strings.ToLower(string(value))
	if same := sameMode[lower]; same != "" {
		lower = same
	}
	if !standard[lower] {
		c.named[place] = lower
	}
	return nil
}

// allModes returns the service tier, the speed, the region, and what else changes the price.
func (c *counts) allModes() string {
	if c.named == [modePlaces]string{} && c.modes == nil {
		return ""
	}
	return join(nil, slices.Concat(c.named[:], c.modes))
}

func (c *counts) addMode(mode string) {
	const most = 16 // one suffices for a cost that is not known
	if len(c.modes) < most && !slices.Contains(c.modes, mode) {
		c.modes = append(c.modes, mode)
	}
}

// unknownName returns the mode of a count that is not known. A name that is not an identifier becomes "unknown".
func unknownName(name string) string {
	if !identifier(name) {
		name = "unknown"
	}
	return unknownCount + name
}

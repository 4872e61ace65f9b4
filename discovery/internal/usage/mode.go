package usage

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

const (
	// otherModel marks tokens billed at another model's prices. A requested mode never
	// replaces it.
	otherModel = "other-model"
	// unknownCount starts the mode for an unknown count. A requested mode never replaces it.
	unknownCount = "count:"
	// CachedImages marks a prompt whose cache reads may be text or images.
	CachedImages = unknownCount + "cached_images"
	// seconds marks a duration instead of tokens.
	seconds = unknownCount + "seconds"
)

// Mode returns the billed mode: the query's, or else the usage object's. Parts are in
// lower case, and standard ones are dropped. Unpriced parts in used, such as unknown
// counts, are always kept.
func Mode(query, used string) string {
	if query == "" && used == "" {
		return ""
	}
	unknown := slices.DeleteFunc(split(used), func(part string) bool { return !unpriced(part) })
	return join(split(cmp.Or(query, used)), unknown)
}

// unpriced reports whether a mode marks tokens without a price. Callers name media as
// modes; providers count them.
func unpriced(mode string) bool {
	switch mode {
	case otherModel, "audio", "image", "video", "document":
		return true
	}
	return strings.HasPrefix(mode, unknownCount)
}

// Timed reports whether a call is billed by duration, such as for whisper-1.
func Timed(mode string) bool { return slices.Contains(split(mode), seconds) }

// Split separates the priced part of a mode from unknown counts and other models' tokens,
// which may cost more.
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

// Join combines a usage object's mode with the service tier, which a response may state
// outside that object.
func Join(tier, mode string) string {
	if tier == "" && mode == "" { // splitting nothing would allocate
		return ""
	}
	return join(split(tier), split(mode))
}

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

// mode keeps a value that changes the price. Gemini may send an enum's number.
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
	if standard[string(value)] { // the usual case, before lowering
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

func (c *counts) allModes() string {
	if c.named == [modePlaces]string{} && c.modes == nil {
		return ""
	}
	return join(nil, slices.Concat(c.named[:], c.modes))
}

func (c *counts) addMode(mode string) {
	const most = 16 // one suffices for an unknown cost
	if len(c.modes) < most && !slices.Contains(c.modes, mode) {
		c.modes = append(c.modes, mode)
	}
}

// unknownName hides a name that isn't an identifier.
func unknownName(name string) string {
	if !identifier(name) {
		name = "unknown"
	}
	return unknownCount + name
}

package usage

import (
	"slices"
	"strings"
)

// Mode returns the mode that a call is billed in: that of the query, or that of the usage object where the query has none. The
// parts are in lower case, without standard ones. The media and the other model of the usage object are always kept.
func Mode(query, used string) string {
	if query == "" && used == "" {
		return ""
	}
	chosen := used
	if query != "" {
		chosen = query
	}
	parts := split(chosen)
	for _, part := range split(used) {
		if (part == otherModel || slices.Contains(Media, part)) && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "+")
}

func split(modes string) []string {
	parts := strings.Split(strings.ToLower(modes), "+")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return slices.DeleteFunc(parts, func(part string) bool { return standard[part] })
}

package pages_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPageColorsHaveContrast computes the contrast of each text on its background, as WCAG 2 defines it: 4.5 for texts, and 3 for bars.
func TestPageColorsHaveContrast(t *testing.T) {
	t.Parallel()
	text := page(t)
	schemes := strings.Split(text[strings.Index(text, ":root"):strings.Index(text, "* {")], ":root")[1:]
	require.Len(t, schemes, 3, "light, dark and print")
	for _, scheme := range schemes {
		colors := make(map[string]float64)
		for _, m := range regexp.MustCompile(`--(\w+): #(\w+);`).FindAllStringSubmatch(scheme, -1) {
			colors[m[1]] = luminance(t, m[2])
		}
		for _, pair := range []struct {
			front, back string
			least       float64
		}{
			{"text", "back", 4.5}, {"soft", "back", 4.5}, {"warn", "back", 4.5}, {"warn", "warnback", 4.5}, {"text", "warnback", 4.5},
			{"bar", "back", 3}, {"other", "back", 3}, {"bar", "other", 1.5},
		} {
			a, b := colors[pair.front], colors[pair.back]
			assert.GreaterOrEqual(t, (max(a, b)+0.05)/(min(a, b)+0.05), pair.least, "%s on %s in %s", pair.front, pair.back, scheme)
		}
	}
}

// luminance returns the relative luminance of a color such as "fff" or "0a62c9".
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		require.NoError(t, err)
		c := float64(n) / 255
		if c <= 0.04045 {
			sum += weight * c / 12.92
		} else {
			sum += weight * math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return sum
}

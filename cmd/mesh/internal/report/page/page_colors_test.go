package page_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
)

// rgb is a color in linear light.
type rgb [3]float64

// schemes returns the page's colors: light, dark and print.
func schemes(t *testing.T) (all []map[string]rgb) {
	t.Helper()
	page := html(t, &report.Report{})
	for _, m := range regexp.MustCompile(`:root\{([^}]*)\}`).FindAllStringSubmatch(page, -1) {
		colors := map[string]rgb{}
		for _, c := range regexp.MustCompile(`--(\w+):#([0-9a-f]+)`).FindAllStringSubmatch(m[1], -1) {
			colors[c[1]] = linear(t, c[2])
		}
		all = append(all, colors)
	}
	require.Len(t, all, 3)
	return all
}

// linear converts a color such as "fff" or "0a62c9" to linear light.
func linear(t *testing.T, hex string) (c rgb) {
	t.Helper()
	if len(hex) == 3 {
		hex = strings.Repeat(hex[:1], 2) + strings.Repeat(hex[1:2], 2) + strings.Repeat(hex[2:], 2)
	}
	for i := range c {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		require.NoError(t, err)
		if v := float64(n) / 255; v <= 0.04045 {
			c[i] = v / 12.92
		} else {
			c[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return c
}

// contrast returns the contrast ratio that WCAG 2 defines.
func contrast(a, b rgb) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func (c rgb) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

func (c rgb) times(m [3]rgb) (d rgb) {
	for i := range d {
		for j := range c {
			d[i] += m[i][j] * c[j]
		}
		d[i] = min(max(d[i], 0), 1)
	}
	return d
}

// visions simulate normal eyes, and eyes that lack one kind of cone, after Machado,
// Oliveira and Fernandes (2009).
var visions = map[string][3]rgb{
	"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protan": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deutan": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritan": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab returns c in CIELAB, where distances match visible differences.
func (c rgb) lab() rgb {
	f := func(v float64) float64 {
		if v > 216.0/24389 {
			return math.Cbrt(v)
		}
		return (24389.0/27*v + 16) / 116
	}
	x, y, z := f((0.4124*c[0]+0.3576*c[1]+0.1805*c[2])/0.9505), f(c.luminance()), f((0.0193*c[0]+0.1192*c[1]+0.9505*c[2])/1.089)
	return rgb{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func distance(a, b rgb) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

func TestColorsHaveContrast(t *testing.T) {
	t.Parallel()
	for i, colors := range schemes(t) {
		for _, name := range []string{"fg", "soft", "acc", "bad"} {
			assert.GreaterOrEqual(t, contrast(colors[name], colors["bg"]), 4.5, "%s, scheme %d", name, i)
		}
		for _, name := range []string{"s0", "s1", "s2", "s3", "s4", "s5", "s6", "up", "dn", "bar", "ok", "bad", "fg"} {
			assert.GreaterOrEqual(t, contrast(colors[name], colors["bg"]), 3.0, "%s, scheme %d", name, i)
		}
		assert.GreaterOrEqual(t, contrast(colors["s0"], colors["card"]), 3.0, "a bar on its track, scheme %d", i)
	}
}

// Chart models are stacked, so neighbors must differ more than others. Rises and falls
// must differ, too.
func TestColorsDifferForAllEyes(t *testing.T) {
	t.Parallel()
	const neighbors, any = 25, 12
	for i, colors := range schemes(t) {
		for eyes, m := range visions {
			seen := func(name string) rgb { return colors[name].times(m).lab() }
			for a := range 7 {
				for b := range a {
					least := float64(any)
					if a == b+1 {
						least = neighbors
					}
					x, y := "s"+strconv.Itoa(a), "s"+strconv.Itoa(b)
					assert.GreaterOrEqual(t, distance(seen(x), seen(y)), least, "%s and %s, %s, scheme %d", x, y, eyes, i)
				}
			}
			assert.GreaterOrEqual(t, distance(seen("up"), seen("dn")), 25.0, "%s, scheme %d", eyes, i)
		}
	}
}

package scan_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/scan"
)

var benchSizes = []int{200, 1_000, 10_000, 200_000}

// BenchmarkFind scans each input at each size. impl=baseline searches with one regexp per
// rule.
func BenchmarkFind(b *testing.B) {
	for _, in := range append(cleanInputs, hostileInputs...) {
		for _, size := range benchSizes {
			content := in.make(b, size)
			b.Run(fmt.Sprintf("input=%s/size=%d/impl=mesh", in.name, size), func(b *testing.B) {
				benchFind(b, content, scan.Find)
			})
			b.Run(fmt.Sprintf("input=%s/size=%d/impl=baseline", in.name, size), func(b *testing.B) {
				benchFind(b, content, baselineFind)
			})
		}
	}
}

func benchFind[T any](b *testing.B, content string, find func(string) (T, bool)) {
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		find(content)
	}
}

// The baseline is the obvious implementation: one regexp per rule, in order, and a search
// for the later word.
var baselineRules = [...]*regexp.Regexp{
	1: plainRules[1], 2: plainRules[2], 3: plainRules[3], 4: plainRules[4], 5: plainRules[5], 6: plainRules[6],
	7: plainRules[7], 8: plainRules[8], 9: plainRules[9],
	10: regexp.MustCompile(`\b[A-Za-z0-9/+=]{40}`),
	11: plainRules[11],
	12: regexp.MustCompile(`\b[A-Za-z0-9_-]{48,}`),
}

func baselineFind(content string) (hit, bool) {
	for number, re := range baselineRules {
		if re == nil {
			continue
		}
		m := re.FindStringIndex(content)
		switch {
		case m == nil:
		case number == 10:
			if strings.Contains(content[m[1]:], "aws") {
				return hit{10, m[0], m[1]}, true
			}
		case number == 12:
			if last := strings.LastIndex(content, "MESH_GATEWAY_TOKEN"); last >= m[0]+48 {
				return hit{12, m[0], min(m[1], last)}, true
			}
		default:
			return hit{number, m[0], m[1]}, true
		}
	}
	return hit{}, false
}

// TestBenchmarkInputs requires equal findings from both implementations, and none in
// clean inputs.
func TestBenchmarkInputs(t *testing.T) {
	for _, in := range append(cleanInputs, hostileInputs...) {
		content := in.make(t, 3_000)
		require.Len(t, content, 3_000)
		want, wantFound := baselineFind(content)
		got, found := scan.New().Find(content)
		assert.Equal(t, wantFound, found, in.name)
		assert.Equal(t, want, hitOf(got), in.name)
	}
	for _, in := range cleanInputs {
		for _, size := range benchSizes {
			_, found := scan.New().Find(in.make(t, size))
			assert.False(t, found, "%s at %d", in.name, size)
		}
	}
}

package report_test

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// withCosts returns made-up calls, none unpriced, so that periods can be compared.
func withCosts(n int) []calls.Record {
	return slices.DeleteFunc(someRecords(n, 60), func(r calls.Record) bool { return r.Unpriced != "" })
}

// shownUSD parses a shown amount; "<0.01" is 0.
func shownUSD(t *testing.T, text string) *big.Rat {
	t.Helper()
	if strings.Contains(text, "<") {
		return new(big.Rat)
	}
	usd, ok := new(big.Rat).SetString(strings.ReplaceAll(text, ",", ""))
	require.True(t, ok, text)
	return usd
}

// Costs, shares and the change's parts add up as shown.
func TestTextAddsUp(t *testing.T) {
	t.Parallel()
	costs := regexp.MustCompile(`(?m)^(\S+) .* ([\d.,<]+) +([\d.]+)% +\S+$`)
	change := regexp.MustCompile(`Change in USD: ([-+][\d.,<]+) is ([-+]?[\d.,<]+) from .*, ([-+]?[\d.,<]+) from .*, and ([-+]?[\d.,<]+) from`)
	for n := 1000; n < 1000+whole.Cases(30, 3); n++ {
		text := textOf(t, build(t, report.Options{}, withCosts(n)...), 0)
		usd, share := new(big.Rat), new(big.Rat)
		for _, row := range costs.FindAllStringSubmatch(text, -1) {
			if row[1] == "total" {
				assert.Equal(t, shownUSD(t, row[2]).FloatString(2), usd.FloatString(2), text)
				assert.Equal(t, "100.0", share.FloatString(1), text)
				usd = nil
				break
			}
			usd.Add(usd, shownUSD(t, row[2]))
			share.Add(share, shownUSD(t, row[3]))
		}
		require.Nil(t, usd, "there is a total")
		parts := change.FindStringSubmatch(text)
		require.NotNil(t, parts, text)
		sum := shownUSD(t, parts[2])
		sum.Add(sum, shownUSD(t, parts[3])).Add(sum, shownUSD(t, parts[4]))
		assert.Equal(t, shownUSD(t, parts[1]).FloatString(2), sum.FloatString(2), parts[0])
	}
}

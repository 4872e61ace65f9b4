package pricelist_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
)

func TestSettleByTakesTheFigureOfTheTable(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ live, table, want [3]string }{
		"within a truncation":                    {[3]string{"0.037", "0.1495", "0.009"}, [3]string{"0.0375", "0.15", "0.0094"}, [3]string{"0.0375", "0.15", "0.0094"}},
		"a whole thousandth apart":               {[3]string{"0.249", "1.5", ""}, [3]string{"0.25", "1.5", "0.025"}, [3]string{"0.249", "1.5", ""}},
		"a cache price that the live row lacks":  {[3]string{"0.25", "1.5", ""}, [3]string{"0.25", "1.5", "0.025"}, [3]string{"0.25", "1.5", "0.025"}},
		"an output price that it lacks":          {[3]string{"0.25", "", ""}, [3]string{"0.25", "1.5", ""}, [3]string{"0.25", "1.5", ""}},
		"another price and a missing one":        {[3]string{"0.3", "", ""}, [3]string{"0.25", "1.5", "0.025"}, [3]string{"0.3", "", ""}},
		"a live row without prices stays so":     {[3]string{"", "", ""}, [3]string{"0.25", "1.5", "0.025"}, [3]string{"", "", ""}},
		"a table without prices changes nothing": {[3]string{"0.25", "1.5", ""}, [3]string{"", "", ""}, [3]string{"0.25", "1.5", ""}},
	} {
		rowOf := func(p [3]string) pricelist.Row {
			return pricelist.Row{Input: pricelist.ParsePrice(p[0]), Output: pricelist.ParsePrice(p[1]), CacheRead: pricelist.ParsePrice(p[2])}
		}
		live, table := rowOf(row.live), rowOf(row.table)
		live.SettleBy(&table)
		assert.Equal(t, rowOf(row.want), live, name)
	}
}

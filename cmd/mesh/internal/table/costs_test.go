package table_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestChange(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"1", "2", "-50%"}, {"2", "1", "+100%"}, {"9.99", "1", "+899%"}, {"45.2", "1", "×45.2"}, {"1", "0", "new"}, {"0", "0", "-"}, {"0", "3", "-100%"}, {"3", "3", "0%"}, {"2.996", "3", "0%"}, {"3.004", "3", "0%"},
	} {
		assert.Equal(t, c[2], table.Change(prices.USD(c[0]), prices.USD(c[1])), c)
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for fraction, want := range map[float64][2]string{0: {"0", "0.0"}, 0.0004: {"<1", "<0.1"}, 0.004: {"<1", "0.4"}, 0.0074: {"1", "0.7"}, 0.5: {"50", "50.0"}, 1: {"100", "100.0"}, -0.5: {"-50", "-50.0"}} {
		assert.Equal(t, want, [2]string{table.Percent(fraction, 0), table.Percent(fraction, 1)}, fraction)
	}
}

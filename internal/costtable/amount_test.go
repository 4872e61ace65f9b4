package costtable_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/internal/costtable"
)

func TestUSD(t *testing.T) {
	t.Parallel()
	for usd, want := range map[string]string{
		"0": "0.00", "0.000001": "<0.0001", "0.0154": "0.0154", "0.99995": "1.0000", "1": "1.00", "1.005": "1.01", "1234567.891": "1,234,567.89", "-1234.5": "-1,234.50",
		"1000000000000000000000000000000.125": "1,000,000,000,000,000,000,000,000,000,000.13", "-0.5": "-0.5000", "100": "100.00",
	} {
		assert.Equal(t, want, costtable.USD(usd), usd)
	}
	assert.Equal(t, "1,235", costtable.About("1234.5"))
	assert.Equal(t, "99.99", costtable.About("99.99"))
}

func TestChange(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"1", "2", "-50%"}, {"2", "1", "+100%"}, {"9.99", "1", "+899%"}, {"45.2", "1", "×45.2"}, {"1", "0", "new"}, {"0", "0", "-"}, {"0", "3", "-100%"}, {"3", "3", "+0%"},
	} {
		assert.Equal(t, c[2], costtable.Change(c[0], c[1]), c)
	}
}

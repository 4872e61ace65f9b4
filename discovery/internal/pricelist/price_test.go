package pricelist_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
)

// Google truncates to billionths of a dollar for each token, so that a live price lacks less than 0.001 USD per million.
func TestNearIsLessThanATruncation(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		a, b string
		want bool
	}{
		{"0.0375", "0.037", true},
		{"0.037", "0.0375", true},
		{"0.25", "0.249", false},
		{"0.25", "0.249000000001", true},
		{"0.25", "0.25", true},
		{"0", "0.001", false},
		{"0", "0.0009", true},
		{"999999", "999999.0009", true},
		{"", "0", false},
		{"0", "", false},
		{"", "", false},
	} {
		assert.Equal(t, row.want, pricelist.Near(pricelist.ParsePrice(row.a), pricelist.ParsePrice(row.b)), row)
	}
}

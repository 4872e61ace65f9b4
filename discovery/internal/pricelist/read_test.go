package pricelist_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
)

func TestReadOfTheBuiltInTable(t *testing.T) {
	t.Parallel()
	list, err := pricelist.Read(builtInCSV())
	require.NoError(t, err)
	assert.Equal(t, builtIn().Rows(), list.Rows())
}

func FuzzRead(f *testing.F) {
	lines := strings.SplitAfter(builtInCSV(), "\n")
	f.Add(strings.Join(lines[:30], ""))
	f.Fuzz(func(t *testing.T, text string) {
		list, err := pricelist.Read(text)
		if err != nil {
			return
		}
		for _, r := range list.Rows() {
			usd := pricelist.Float64(r.Input)
			if r.Model == "" || r.MinPrompt < 0 || usd != nil && (*usd < 0 || math.IsInf(*usd, 0)) {
				t.Errorf("row %+v", r)
			}
		}
	})
}

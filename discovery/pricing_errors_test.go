package discovery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// Somebody who gets no price wants to know what to write instead: a choice among several is put differently from a doubt
// about one.
func TestAHintThatIsNotUnderstoodIsToldWhatItMayMean(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		models []string
		hint   string
		want   string
	}{
		{[]string{"2.5 flash", "2.5 flash lite"}, "flash", "may mean any of gemini 2.5 flash, gemini 2.5 flash lite"},
		{[]string{"3 flash", "3 pro"}, "3", "may mean any of gemini 3 flash, gemini 3 pro"},
		{[]string{"2.5 flash lite", "3 pro"}, "2.5 flash", "may mean another model than gemini 2.5 flash lite"},
	} {
		s := flashes(row.models...)
		assert.Equal(t, -1.0, priceOf(t, s, row.hint, discovery.Output, 0), row.hint)
		require.Len(t, s.failures, 1, row.hint)
		assert.ErrorContains(t, s.failures[0], row.want)
	}
}

package prices_test

import (
	"bufio"
	"encoding/json"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// wholeCase is a line in testdata/whole_call_cases.jsonl: a usage object or a response
// body, and its cost computed by hand. Accept lists all allowed costs if the sources
// leave more than one; nil is an unknown cost.
type wholeCase struct {
	ID, Model   string
	Provider    models.Provider
	At          time.Time
	Usage, Body json.RawMessage
	Mode        string
	Expected    *string `json:"expected_usd"`
	Lines       []prices.Line
	Unpriced    []string
	Accept      []*string
}

func wholeCases(t testing.TB) []wholeCase {
	t.Helper()
	file, err := os.Open("testdata/whole_call_cases.jsonl")
	require.NoError(t, err)
	defer file.Close()
	var cases []wholeCase
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var c wholeCase
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		cases = append(cases, c)
	}
	return cases
}

// call builds the call as a program would.
func (c *wholeCase) call(t testing.TB) prices.Call {
	t.Helper()
	call := prices.Call{Provider: c.Provider, Model: c.Model, At: c.At, Mode: c.Mode}
	var err error
	if c.Body != nil {
		var response prices.Response
		response, err = prices.ParseResponse(c.Provider, c.Body)
		call.Usage = response.Usage
	} else {
		call.Usage, err = prices.ParseUsage(c.Provider, c.Usage)
	}
	require.NoError(t, err, c.ID)
	return call
}

// A whole call costs what was computed by hand, to the last digit, or the error names
// what is missing.
func TestCostOfWholeCalls(t *testing.T) {
	t.Parallel()
	cases := wholeCases(t)
	assert.Len(t, cases, 76)
	for _, c := range cases {
		cost, err := prices.BuiltIn().CostOf(c.call(t))
		usd, again := prices.BuiltIn().USDOf(c.call(t))
		assert.Equal(t, err, again, c.ID)
		assert.Equal(t, cost.USD, usd, c.ID)
		if err != nil {
			require.ErrorIs(t, err, prices.ErrUnpriced, c.ID)
			assert.True(t, c.Expected == nil || slices.Contains(c.Accept, nil), "%s: %v", c.ID, err)
			var unpriced *prices.UnpricedError
			require.ErrorAs(t, err, &unpriced)
			named := slices.ContainsFunc(c.Unpriced, func(word string) bool { return strings.Contains(string(unpriced.Missing)+" "+unpriced.Name, word) })
			assert.True(t, named || c.Unpriced == nil, "%s: %v", c.ID, err)
			continue
		}
		if c.accepts(cost.USD) && (c.Expected == nil || len(c.Lines) == 0) {
			continue
		}
		require.NotNil(t, c.Expected, "%s: %s", c.ID, cost.USD)
		assert.EqualValues(t, *c.Expected, cost.USD, c.ID)
		assert.Equal(t, c.Lines, cost.Lines, c.ID)
	}
}

func (c *wholeCase) accepts(usd prices.USD) bool {
	equal := func(want *string) bool {
		if want == nil {
			return false
		}
		a, _ := new(big.Rat).SetString(*want)
		b, _ := new(big.Rat).SetString(string(usd))
		return a.Cmp(b) == 0
	}
	return slices.ContainsFunc(append(c.Accept, c.Expected), equal)
}
